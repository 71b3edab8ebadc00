// What became of each message that was sent as a datagram: under way, answered, lost, late,
// doubled.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/clock.h"

namespace wiremark::load {

/// The books of one thread's connections over UDP. What became of a message is remembered for as
/// many messages after it as span() says, in two bits. All memory is taken at the start.
///
/// A message is lost when everything that had arrived by the end of its timeout has been looked
/// at, and its answer was not there. So both answer() and expire() are told until when the caller
/// has taken in everything, and not what time it is.
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
    Nanoseconds own_ns = 0;
  };

  Ledger(std::size_t clients, unsigned places, Nanoseconds timeout)
      : places_(places),
        mask_(std::bit_ceil(2 * places) - 1),
        timeout_(timeout),
        span_(std::clamp<std::uint64_t>(
            std::bit_floor(kRemembered / std::max<std::uint64_t>(1, clients)), kSpanMin, kSpanMax)),
        lines_(clients),
        entries_(clients * (std::size_t{mask_} + 1)),
        fates_(clients * (span_ / kPerByte)) {}

  bool has_room(std::size_t client) const noexcept { return under_way(client) < places_; }
  std::uint32_t under_way(std::size_t client) const noexcept { return lines_[client].under_way; }
  std::uint32_t sent(std::size_t client) const noexcept { return lines_[client].sent; }
  /// How many messages back a reply can still be recognised.
  std::uint64_t span() const noexcept { return span_; }

  /// Enters the next message of a client that has room; its sequence, from 0.
  std::uint32_t enter(std::size_t client, Nanoseconds planned_ns, Nanoseconds sent_ns,
                      Nanoseconds own_ns = 0) {
    Line& line = lines_[client];
    const std::uint32_t sequence = line.sent++;
    Entry* const table = table_of(client);
    std::uint32_t at = sequence & mask_;
    while (table[at].busy) at = (at + 1) & mask_;
    table[at] = {planned_ns, sent_ns, own_ns, sequence, true};
    ++line.under_way;
    remember(client, sequence, Memory::none);
    return sequence;
  }

  /// Books an answer. `taken_until`: what had arrived by then had been booked before.
  Answer answer(std::size_t client, std::uint32_t sequence, Nanoseconds taken_until) {
    Line& line = lines_[client];
    if (sequence >= line.sent) return {};
    Entry* const table = table_of(client);
    std::uint32_t at = sequence & mask_;
    while (table[at].busy && table[at].sequence != sequence) at = (at + 1) & mask_;
    if (!table[at].busy) return {.fate = after_the_end(client, sequence)};
    const Entry entry = table[at];
    remove(client, at);
    const bool in_time = taken_until <= entry.sent_ns + timeout_;
    remember(client, sequence, in_time ? Memory::answered : Memory::late);
    if (!in_time) return {.fate = Fate::late};
    const bool reordered = sequence < line.newest;
    line.newest = std::max(line.newest, sequence);
    return {Fate::answered, reordered, entry.planned_ns, entry.sent_ns, entry.own_ns};
  }

  /// Gives up what has had no answer in time; how many that were.
  std::uint32_t expire(std::size_t client, Nanoseconds taken_until) {
    std::uint32_t expired = 0;
    for (std::uint32_t at = 0; at <= mask_ && under_way(client) > 0;) {
      const Entry entry = table_of(client)[at];
      if (!entry.busy || taken_until <= entry.sent_ns + timeout_) {
        ++at;
        continue;
      }
      remember(client, entry.sequence, Memory::lost);
      remove(client, at);  // Another may have moved to this place.
      ++expired;
    }
    return expired;
  }

 private:
  enum class Memory : std::uint8_t { none, answered, lost, late };

  struct Entry {
    Nanoseconds planned_ns = 0;
    Nanoseconds sent_ns = 0;
    Nanoseconds own_ns = 0;  // The part of the lateness that is the load's own.
    std::uint32_t sequence = 0;
    bool busy = false;
  };

  struct Line {
    std::uint32_t under_way = 0;
    std::uint32_t sent = 0;
    std::uint32_t newest = 0;  // The latest message answered.
  };

  static constexpr std::size_t kPerByte = 4;
  // 4 MiB for all connections: 50 s of 300,000 messages a second, many times any timeout.
  static constexpr std::uint64_t kRemembered = 16 << 20;
  static constexpr std::uint64_t kSpanMin = 1 << 10;
  static constexpr std::uint64_t kSpanMax = 4 << 20;

  // A hash table of each client by sequence with linear probing, at most half full.
  Entry* table_of(std::size_t client) noexcept {
    return entries_.data() + client * (std::size_t{mask_} + 1);
  }

  // Moves up what would not be found any more behind an empty place.
  void remove(std::size_t client, std::uint32_t at) {
    Entry* const table = table_of(client);
    for (std::uint32_t next = (at + 1) & mask_; table[next].busy; next = (next + 1) & mask_) {
      const std::uint32_t home = table[next].sequence & mask_;
      if (((next - home) & mask_) < ((next - at) & mask_)) continue;
      table[at] = table[next];
      at = next;
    }
    table[at].busy = false;
    --lines_[client].under_way;
  }

  std::uint8_t& byte_of(std::size_t client, std::uint32_t sequence) {
    return fates_[(client * span_ + sequence % span_) / kPerByte];
  }
  void remember(std::size_t client, std::uint32_t sequence, Memory what) {
    const unsigned shift = sequence % kPerByte * 2;
    std::uint8_t& byte = byte_of(client, sequence);
    byte =
        static_cast<std::uint8_t>((byte & ~(3u << shift)) | (static_cast<unsigned>(what) << shift));
  }

  Fate after_the_end(std::size_t client, std::uint32_t sequence) {
    if (lines_[client].sent - sequence > span_) return Fate::late;  // Seconds after its time.
    switch (static_cast<Memory>(byte_of(client, sequence) >> sequence % kPerByte * 2 & 3)) {
      case Memory::answered:
      case Memory::late:
        return Fate::duplicated;
      case Memory::lost:
        remember(client, sequence, Memory::late);
        return Fate::late;
      case Memory::none:
        break;
    }
    return Fate::unknown;
  }

  unsigned places_;
  std::uint32_t mask_;
  Nanoseconds timeout_;
  std::uint64_t span_;
  std::vector<Line> lines_;
  std::vector<Entry> entries_;       // By client, a table of mask_ + 1 each.
  std::vector<std::uint8_t> fates_;  // By client, then sequence modulo span.
};

}  // namespace wiremark::load
