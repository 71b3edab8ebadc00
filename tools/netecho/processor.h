// The second stage of the staged server: answers all whole messages of all connections in each
// tick.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "formats.h"
#include "netecho/answer.h"
#include "netecho/echo.h"
#include "netecho/link.h"
#include "segment_tally.h"
#include "signals.h"

namespace wiremark::tools {

/// Written by the processor; any thread may read it.
struct StageCounts {
  measure::Histogram tick;   ///< Time of a walk over all connections.
  measure::Histogram found;  ///< Bytes in a connection's input ring when a walk comes to it.
  measure::Histogram left;   ///< Bytes that the walk leaves: part of a message, or without room.
};

/// Without a format: answers all bytes that are there.
struct RawAnswerer {
  static constexpr std::string_view kName = kRaw;
  Answer answer(Bytes stream) noexcept { return {.consumed = stream.size(), .bytes = stream}; }
};

template <Answerer A>
class Processor {
 public:
  Processor(A& answerer, StageLinks& links, EchoCounts& counts, StageCounts& stages,
            SegmentTally& segments)
      : answerer_(answerer), links_(links), counts_(counts), stages_(stages), segments_(segments) {}

  /// Walks over all connections and sleeps for `pause`, until the stop; then answers what was
  /// received before.
  void run(const net::Stop& stop, Nanoseconds pause) {
    Nanoseconds next = now_ns() + pause;
    while (!stop.requested()) {
      const Nanoseconds now = now_ns();
      const Nanoseconds next_count = segments_.turn(now, *this);
      if (now < next) {
        sleep_until(stop, std::min(next, next_count));
        continue;
      }
      walk();
      const Nanoseconds end = now_ns();
      stages_.tick.record(end - now);
      next = end + pause;
    }
    drain();
    segments_.count(*this);
    leave();
  }

  /// One walk over all connections.
  void walk() {
    links_.opened.take(alive_);
    std::uint64_t found_none = 0, left_none = 0;
    for (std::size_t i = 0; i < alive_.size();) {
      Link& link = *alive_[i];
      const Visit visit = process(link);
      note(visit.found, stages_.found, found_none);
      note(visit.left, stages_.left, left_none);
      if (batch_.size() == kBatch) hand_over();
      if (visit.over) {
        free(link);
        alive_[i] = alive_.back();
        alive_.pop_back();
      } else {
        ++i;
      }
    }
    hand_over();
    if (found_none > 0) stages_.found.record_many(0, found_none);
    if (left_none > 0) stages_.left.record_many(0, left_none);
  }

  /// After the last walk: hands over the links that have not ended.
  void leave() {
    links_.left = std::move(alive_);
    links_.all_processed.store(true, std::memory_order_release);
    links_.bell.ring();
  }

  template <class F>
  void for_each(F&& visit) {
    for (Link* link : alive_) visit(*link);
  }

 private:
  // So many links are handed to the sender at once, so that it begins during the walk.
  static constexpr std::size_t kBatch = 64;
  // How long peers that do not read their answers are waited for.
  static constexpr Nanoseconds kDrain = kSecond;

  void drain() {
    const Nanoseconds end = now_ns() + kDrain;
    for (bool over = false; !over && now_ns() < end;) {
      const bool all = links_.all_received.load(std::memory_order_acquire);
      walk();
      over = all && alive_.empty();
      if (!over) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  // Most connections are empty most of the time; these are counted once a walk.
  static void note(std::size_t bytes, measure::Histogram& backlog, std::uint64_t& none) {
    if (bytes > 0)
      backlog.record(bytes);
    else
      ++none;
  }

  struct Visit {
    std::size_t found;
    std::size_t left;
    bool over;
  };

  Visit process(Link& link) {
    const bool ended = link.ended.load(std::memory_order_acquire);
    const Nanoseconds arrived = link.arrived_ns.exchange(0, std::memory_order_relaxed);
    if (ended) {
      const auto pushed = static_cast<std::ptrdiff_t>(link.in.push(link.rest));
      link.rest.erase(link.rest.begin(), link.rest.begin() + pushed);
    }
    const std::size_t found = link.in.size();
    bool no_room = false;
    std::size_t used = found;
    if (!link.refused && !link.failed.load(std::memory_order_relaxed) && found > 0)
      used = answer(link, arrived, no_room);
    link.in.consume(used);
    const bool complete = ended && link.rest.empty() && !no_room;
    if (complete && used < found && link.receive_error == 0)
      refuse(link, {wire::DecodeErrorKind::need_more_data, found - used}, stream_of(link));
    const bool ends_now = (complete || link.refused) && !link.last.load(std::memory_order_relaxed);
    if (ends_now) link.last.store(true, std::memory_order_release);
    // Freed only when the sender has sent everything and has the link in no list.
    const bool over = ended && link.sent.load(std::memory_order_acquire) &&
                      !link.posted.load(std::memory_order_acquire);
    if ((ends_now || !link.out.empty()) && !over &&
        !link.posted.exchange(true, std::memory_order_acq_rel))
      batch_.push_back(&link);
    return {found, found - used, over};
  }

  // Answers the whole messages; returns how many bytes they had.
  std::size_t answer(Link& link, Nanoseconds arrived, bool& no_room) {
    const Bytes stream = stream_of(link);
    std::size_t used = 0;
    std::uint64_t messages = 0;
    while (used < stream.size()) {
      Bytes next = stream.subspan(used);
      if constexpr (std::is_same_v<A, RawAnswerer>) {
        next = next.first(std::min(next.size(), link.out.room()));
      }
      const Answer answer = answerer_.answer(next);
      if (answer.error) [[unlikely]] {
        refuse(link, answer.error, next);
        used = stream.size();
        break;
      }
      no_room = answer.bytes.size() > link.out.room() || next.empty();
      if (no_room || answer.consumed == 0) break;
      link.out.push(answer.bytes);
      used += answer.consumed;
      ++messages;
    }
    if (messages > 0) {
      counts_.messages.add(messages);
      counts_.bytes_in.add(used);
      const Nanoseconds now = now_ns();
      counts_.service.record_many(arrived > 0 ? now - std::min(arrived, now) : 0, messages);
    }
    return used;
  }

  // The bytes of the input ring in one piece, copied if they wrap around.
  Bytes stream_of(const Link& link) {
    const auto [first, second] = link.in.parts();
    if (second.empty()) return first;
    piece_.assign(first.begin(), first.end());
    piece_.insert(piece_.end(), second.begin(), second.end());
    return piece_;
  }

  void refuse(Link& link, const wire::DecodeError& error, Bytes stream) {
    link.refused = true;
    counts_.refuse(A::kName, error, stream);
  }

  void hand_over() {
    if (batch_.empty()) return;
    links_.to_send.post(batch_);
    batch_.clear();
    links_.bell.ring();
  }

  void free(Link& link) {
    segments_.closed(link.fd);
    counts_.closed.add();
    const int error = link.receive_error != 0 ? link.receive_error : link.send_error;
    if (error != 0) ++counts_.closed_by_error[error];
    delete &link;
  }

  A& answerer_;
  StageLinks& links_;
  EchoCounts& counts_;
  StageCounts& stages_;
  SegmentTally& segments_;
  std::vector<Link*> alive_;
  std::vector<Link*> batch_;
  std::vector<std::byte> piece_;
};

}  // namespace wiremark::tools
