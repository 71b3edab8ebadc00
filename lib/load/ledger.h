// What became of each message that was sent as a datagram: under way, answered, lost, answered
// late, answered twice.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/clock.h"

namespace wiremark::load {

/// Keeps track of the messages of one thread's connections over UDP. What became of a message is
/// remembered in two bits, until its connection has sent span() more. All memory is allocated at
/// the start.
///
/// A message is lost when everything that had arrived by the end of its timeout has been read and
/// its answer was not there. So answer() and expire() are not told the time but `taken_until`: all
/// that had arrived by then has been read.
class Ledger {
 public:
  enum class Fate : std::uint8_t {
    answered,    ///< In time.
    late,        ///< After the timeout: the message counts as lost.
    duplicated,  ///< Its message had an answer, in time or late.
  };

  struct Answer {
    Fate fate = Fate::answered;
    bool reordered = false;      ///< The answer to a later message of the connection came first.
    Nanoseconds planned_ns = 0;  ///< This and own_ns, if answered: as in enter().
    Nanoseconds sent_ns = 0;  ///< Unless it had an answer, or was given up before: as in enter().
    Nanoseconds own_ns = 0;
  };

  Ledger(std::size_t clients, unsigned pipeline, Nanoseconds timeout)
      : pipeline_(pipeline),
        mask_(std::bit_ceil(2 * pipeline) - 1),
        timeout_(timeout),
        span_(std::clamp<std::uint64_t>(
            std::bit_floor(kRemembered / std::max<std::uint64_t>(1, clients)), kSpanMin, kSpanMax)),
        lines_(clients),
        entries_(clients * (std::size_t{mask_} + 1)),
        fates_(clients * (span_ / kPerByte)) {}

  bool has_room(std::size_t client) const noexcept { return under_way(client) < pipeline_; }
  std::uint32_t under_way(std::size_t client) const noexcept { return lines_[client].under_way; }
  std::uint32_t sent(std::size_t client) const noexcept { return lines_[client].sent; }
  /// How many messages back a reply can still be recognised.
  std::uint64_t span() const noexcept { return span_; }

  /// Enters the next message of a client that has room; returns its sequence, from 0. `own_ns` is
  /// how late the load itself came to it.
  std::uint32_t enter(std::size_t client, Nanoseconds planned_ns, Nanoseconds sent_ns,
                      Nanoseconds own_ns = 0) {
    Line& line = lines_[client];
    const std::uint32_t sequence = line.sent++;
    Entry* const table = table_of(client);
    std::uint32_t at = sequence & mask_;
    if (table[at].busy) [[unlikely]] {
      while (table[at].busy) at = (at + 1) & mask_;
      ++line.displaced;
    }
    table[at] = {planned_ns, sent_ns, own_ns, sequence, true};
    ++line.under_way;
    return sequence;
  }

  /// What an answer to a message that was sent amounts to.
  Answer answer(std::size_t client, std::uint32_t sequence, Nanoseconds taken_until) {
    Line& line = lines_[client];
    Entry* const table = table_of(client);
    std::uint32_t at = sequence & mask_;
    while (table[at].busy && table[at].sequence != sequence) at = (at + 1) & mask_;
    if (!table[at].busy) return {.fate = after_the_end(client, sequence)};
    const Entry entry = table[at];
    remove(client, at);
    const bool in_time = taken_until <= entry.sent_ns + timeout_;
    remember(client, sequence, in_time ? Memory::answered : Memory::late);
    if (!in_time) return {.fate = Fate::late, .sent_ns = entry.sent_ns};
    const bool reordered = sequence < line.newest;
    line.newest = std::max(line.newest, sequence);
    return {Fate::answered, reordered, entry.planned_ns, entry.sent_ns, entry.own_ns};
  }

  /// A message under way was never sent: it is lost.
  void drop(std::size_t client, std::uint32_t sequence) {
    Entry* const table = table_of(client);
    std::uint32_t at = sequence & mask_;
    while (table[at].sequence != sequence) at = (at + 1) & mask_;
    remember(client, sequence, Memory::lost);
    remove(client, at);
  }

  /// The planned time of the message that waits longest; one must be under way.
  Nanoseconds oldest_planned(std::size_t client) const noexcept {
    const Entry* const table = entries_.data() + client * (std::size_t{mask_} + 1);
    Nanoseconds oldest = kNever;
    for (std::uint32_t at = 0; at <= mask_; ++at)
      if (table[at].busy) oldest = std::min(oldest, table[at].planned_ns);
    return oldest;
  }

  /// Gives up the messages without an answer in time, and calls gave_up(sent_ns) for each; returns
  /// their number.
  template <class GaveUp>
  std::uint32_t expire(std::size_t client, Nanoseconds taken_until, GaveUp&& gave_up) {
    std::uint32_t expired = 0;
    for (std::uint32_t at = 0; at <= mask_ && under_way(client) > 0;) {
      const Entry entry = table_of(client)[at];
      if (!entry.busy || taken_until <= entry.sent_ns + timeout_) {
        ++at;
        continue;
      }
      gave_up(entry.sent_ns);
      remember(client, entry.sequence, Memory::lost);
      remove(client, at);  // Another entry may have moved to `at`.
      ++expired;
    }
    return expired;
  }

 private:
  // What is remembered of a message that is no longer under way.
  enum class Memory : std::uint8_t { answered, lost, late };

  struct Entry {
    Nanoseconds planned_ns = 0;
    Nanoseconds sent_ns = 0;
    Nanoseconds own_ns = 0;  // How late the load itself came to it.
    std::uint32_t sequence = 0;
    bool busy = false;
  };

  struct Line {
    std::uint32_t under_way = 0;
    std::uint32_t sent = 0;
    std::uint32_t newest = 0;     // The highest sequence answered.
    std::uint32_t displaced = 0;  // Entries that are not where their sequence says.
  };

  static constexpr std::size_t kPerByte = 4;
  // 4 MiB for all connections: 50 s of 300,000 messages a second, many times any timeout.
  static constexpr std::uint64_t kRemembered = 16 << 20;
  static constexpr std::uint64_t kSpanMin = 1 << 10;
  static constexpr std::uint64_t kSpanMax = 4 << 20;

  // Each client has a hash table by sequence, with linear probing, at most half full.
  Entry* table_of(std::size_t client) noexcept {
    return entries_.data() + client * (std::size_t{mask_} + 1);
  }

  void remove(std::size_t client, std::uint32_t at) {
    Entry* const table = table_of(client);
    Line& line = lines_[client];
    // Where all are in their places, as without loss, the gap hides none.
    if (line.displaced > 0) [[unlikely]] {
      line.displaced -= at != (table[at].sequence & mask_);
      at = fill_gap(table, line, at);
    }
    table[at].busy = false;
    --line.under_way;
  }

  // Fills the gap with a later entry that could not be found across it, and so on; returns the last
  // gap.
  std::uint32_t fill_gap(Entry* table, Line& line, std::uint32_t at) {
    for (std::uint32_t next = (at + 1) & mask_; table[next].busy; next = (next + 1) & mask_) {
      const std::uint32_t home = table[next].sequence & mask_;
      if (((next - home) & mask_) < ((next - at) & mask_)) continue;
      table[at] = table[next];
      line.displaced -= at == home;
      at = next;
    }
    return at;
  }

  std::uint8_t& byte_of(std::size_t client, std::uint32_t sequence) {
    return fates_[(client * span_ + (sequence & (span_ - 1))) / kPerByte];  // A power of two.
  }
  void remember(std::size_t client, std::uint32_t sequence, Memory what) {
    const unsigned shift = sequence % kPerByte * 2;
    std::uint8_t& byte = byte_of(client, sequence);
    byte =
        static_cast<std::uint8_t>((byte & ~(3u << shift)) | (static_cast<unsigned>(what) << shift));
  }

  Fate after_the_end(std::size_t client, std::uint32_t sequence) {
    if (lines_[client].sent - sequence > span_) return Fate::late;  // Seconds too late.
    const unsigned memory = byte_of(client, sequence) >> sequence % kPerByte * 2 & 3u;
    if (static_cast<Memory>(memory) != Memory::lost) return Fate::duplicated;
    remember(client, sequence, Memory::late);
    return Fate::late;
  }

  unsigned pipeline_;
  std::uint32_t mask_;
  Nanoseconds timeout_;
  std::uint64_t span_;
  std::vector<Line> lines_;
  std::vector<Entry> entries_;  // mask_ + 1 for each client.
  std::vector<std::uint8_t>
      fates_;  // span_ for each client, by sequence modulo span_; two bits each.
};

}  // namespace wiremark::load
