// The messages under way on each stream connection: answered in the order in which they were sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/clock.h"

namespace wiremark::load {

/// The books of one thread's streams. All memory is taken at the start.
class Slots {
 public:
  struct Entry {
    Nanoseconds planned_ns;
    Nanoseconds sent_ns;
    Nanoseconds own_ns;  ///< The part of the lateness that is the load's own.
  };

  Slots(std::size_t clients, unsigned places, Nanoseconds)
      : places_(places), lines_(clients), entries_(clients * places) {}

  bool has_room(std::size_t client) const noexcept { return under_way(client) < places_; }
  std::uint32_t under_way(std::size_t client) const noexcept {
    return lines_[client].sent - lines_[client].over;
  }
  std::uint32_t sent(std::size_t client) const noexcept { return lines_[client].sent; }

  /// Enters the next message of a client that has room; its sequence, from 0.
  std::uint32_t enter(std::size_t client, Nanoseconds planned_ns, Nanoseconds sent_ns,
                      Nanoseconds own_ns = 0) noexcept {
    const std::uint32_t sequence = lines_[client].sent++;
    at(client, sequence) = {planned_ns, sent_ns, own_ns};
    return sequence;
  }

  /// The sequence of the message that is answered next; one must be under way for what follows.
  std::uint32_t oldest(std::size_t client) const noexcept { return lines_[client].over; }
  const Entry& oldest_entry(std::size_t client) noexcept { return at(client, oldest(client)); }
  /// It is answered.
  void answered(std::size_t client) noexcept { ++lines_[client].over; }

  /// The connection has ended, and the messages under way are lost with it; how many those were.
  std::uint32_t lose_all(std::size_t client) noexcept {
    const std::uint32_t lost = under_way(client);
    lines_[client].over = lines_[client].sent;
    return lost;
  }

 private:
  struct Line {
    std::uint32_t sent = 0;
    std::uint32_t over = 0;  // Answered, or lost.
  };

  Entry& at(std::size_t client, std::uint32_t sequence) noexcept {
    return entries_[client * places_ + sequence % places_];
  }

  unsigned places_;
  std::vector<Line> lines_;
  std::vector<Entry> entries_;  // By client, then sequence modulo places.
};

}  // namespace wiremark::load
