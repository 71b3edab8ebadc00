// What became of each message that was sent as a datagram: under way, answered, lost, late,
// doubled.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/clock.h"

namespace wiremark::tools {

/// The books of one thread's connections. A message has a place while it is under way, which its
/// datagram names, so that its answer is found whatever came before it. What became of it is
/// remembered for as many messages after it as span() says, in two bits. All memory is taken at the
/// start.
class Ledger {
 public:
  enum class Fate : std::uint8_t {
    answered,    ///< In time.
    late,        ///< After the timeout: the message was lost.
    duplicated,  ///< Its message had an answer, in time or late.
    unknown,     ///< There is no such message.
  };

  struct Answer {
    Fate fate = Fate::unknown;
    bool reordered = false;      ///< One to a later message of the connection came before it.
    Nanoseconds planned_ns = 0;  ///< answered: as it was sent.
    Nanoseconds sent_ns = 0;
  };

  Ledger(std::size_t connections, unsigned places, Nanoseconds timeout)
      : places_(places),
        timeout_(timeout),
        span_(std::clamp<std::uint64_t>(
            std::bit_floor(kRemembered / std::max<std::uint64_t>(1, connections)), kSpanMin,
            kSpanMax)),
        lines_(connections),
        slots_(connections * places),
        fates_(connections * (span_ / kPerByte)) {
    for (std::size_t i = 0; i < slots_.size(); ++i)
      slots_[i].next_free = static_cast<std::uint32_t>(i % places + 1);
  }

  bool has_room(std::size_t connection) const noexcept {
    return lines_[connection].under_way < places_;
  }
  std::uint32_t under_way(std::size_t connection) const noexcept {
    return lines_[connection].under_way;
  }
  /// Messages of one connection that an answer is known by.
  std::uint64_t span() const noexcept { return span_; }

  /// Enters the next message of a connection that has room; sequence numbers begin at 0. Returns
  /// the place that the datagram names.
  std::uint32_t send(std::size_t connection, Nanoseconds planned_ns, Nanoseconds sent_ns) {
    Line& line = lines_[connection];
    const std::uint32_t place = line.free;
    Slot& slot = slots_[connection * places_ + place];
    line.free = slot.next_free;
    ++line.under_way;
    slot = {planned_ns, sent_ns, line.sent, kBusy};
    remember(connection, line.sent++, Memory::none);
    return place;
  }

  /// Books what came back at `now`.
  Answer answer(std::size_t connection, std::uint32_t sequence, std::uint32_t place,
                Nanoseconds now) {
    Line& line = lines_[connection];
    if (sequence >= line.sent || place >= places_) return {};
    const Slot slot = slots_[connection * places_ + place];
    if (slot.next_free != kBusy || slot.sequence != sequence)
      return {.fate = after_the_end(connection, sequence)};
    release(connection, place);
    const bool in_time = now <= slot.sent_ns + timeout_;
    remember(connection, sequence, in_time ? Memory::answered : Memory::late);
    if (!in_time) return {.fate = Fate::late};
    const bool reordered = sequence < line.newest;
    line.newest = std::max(line.newest, sequence);
    return {Fate::answered, reordered, slot.planned_ns, slot.sent_ns};
  }

  /// Gives up what has been under way for longer than the timeout; how many that were.
  std::uint32_t expire(std::size_t connection, Nanoseconds now) {
    std::uint32_t expired = 0;
    for (std::uint32_t place = 0; place < places_ && under_way(connection) > 0; ++place) {
      const Slot& slot = slots_[connection * places_ + place];
      if (slot.next_free != kBusy || now <= slot.sent_ns + timeout_) continue;
      remember(connection, slot.sequence, Memory::lost);
      release(connection, place);
      ++expired;
    }
    return expired;
  }

 private:
  enum class Memory : std::uint8_t { none, answered, lost, late };

  struct Slot {
    Nanoseconds planned_ns = 0;
    Nanoseconds sent_ns = 0;
    std::uint32_t sequence = 0;
    std::uint32_t next_free = 0;  // kBusy while a message is under way.
  };

  struct Line {
    std::uint32_t free = 0;  // The first free place.
    std::uint32_t under_way = 0;
    std::uint32_t sent = 0;
    std::uint32_t newest = 0;  // The latest message answered.
  };

  static constexpr std::uint32_t kBusy = ~0u;
  static constexpr std::size_t kPerByte = 4;
  // 4 MiB for all connections: 50 s of 300,000 messages a second, many times any timeout.
  static constexpr std::uint64_t kRemembered = 16 << 20;
  static constexpr std::uint64_t kSpanMin = 1 << 10;
  static constexpr std::uint64_t kSpanMax = 4 << 20;

  std::uint8_t& byte_of(std::size_t connection, std::uint32_t sequence) {
    return fates_[(connection * span_ + sequence % span_) / kPerByte];
  }
  void remember(std::size_t connection, std::uint32_t sequence, Memory what) {
    const unsigned shift = sequence % kPerByte * 2;
    std::uint8_t& byte = byte_of(connection, sequence);
    byte =
        static_cast<std::uint8_t>((byte & ~(3u << shift)) | (static_cast<unsigned>(what) << shift));
  }

  Fate after_the_end(std::size_t connection, std::uint32_t sequence) {
    if (lines_[connection].sent - sequence > span_) return Fate::late;  // Seconds after its time.
    switch (static_cast<Memory>(byte_of(connection, sequence) >> sequence % kPerByte * 2 & 3)) {
      case Memory::answered:
      case Memory::late:
        return Fate::duplicated;
      case Memory::lost:
        remember(connection, sequence, Memory::late);
        return Fate::late;
      case Memory::none:
        break;
    }
    return Fate::unknown;  // Under way, and not at the place that was named.
  }

  void release(std::size_t connection, std::uint32_t place) {
    Line& line = lines_[connection];
    slots_[connection * places_ + place].next_free = line.free;
    line.free = place;
    --line.under_way;
  }

  unsigned places_;
  Nanoseconds timeout_;
  std::uint64_t span_;
  std::vector<Line> lines_;
  std::vector<Slot> slots_;          // By connection, then place.
  std::vector<std::uint8_t> fates_;  // By connection, then sequence modulo span.
};

}  // namespace wiremark::tools
