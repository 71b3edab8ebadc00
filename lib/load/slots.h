// The messages under way on each stream connection: answered in the order in which they were sent.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/clock.h"

namespace wiremark::load {

/// Keeps track of the messages of one thread's connections. All memory is allocated at the start.
class Slots {
 public:
  struct Entry {
    Nanoseconds planned_ns;
    Nanoseconds sent_ns;
    Nanoseconds own_ns;  ///< How late the load itself came to it.
  };

  Slots(std::size_t clients, unsigned pipeline, Nanoseconds)
      : pipeline_(pipeline),
        stride_(std::bit_ceil(std::size_t{pipeline})),
        lines_(clients),
        entries_(clients * stride_) {}

  bool has_room(std::size_t client) const noexcept { return under_way(client) < pipeline_; }
  std::uint32_t under_way(std::size_t client) const noexcept {
    return lines_[client].sent - lines_[client].over;
  }
  std::uint32_t sent(std::size_t client) const noexcept { return lines_[client].sent; }

  /// Enters the next message of a client that has room; returns its sequence, from 0.
  std::uint32_t enter(std::size_t client, Nanoseconds planned_ns, Nanoseconds sent_ns,
                      Nanoseconds own_ns = 0) noexcept {
    const std::uint32_t sequence = lines_[client].sent++;
    at(client, sequence) = {planned_ns, sent_ns, own_ns};
    return sequence;
  }

  /// The sequence of the message that is answered next. For this and the next two functions a
  /// message must be under way.
  std::uint32_t oldest(std::size_t client) const noexcept { return lines_[client].over; }
  const Entry& oldest_entry(std::size_t client) noexcept { return at(client, oldest(client)); }
  Nanoseconds oldest_planned(std::size_t client) const noexcept {
    return entries_[index(client, oldest(client))].planned_ns;
  }
  /// The oldest message is answered.
  void answered(std::size_t client) noexcept { ++lines_[client].over; }

  /// The connection has ended, and its messages under way are lost; returns their number.
  std::uint32_t lose_all(std::size_t client) noexcept {
    const std::uint32_t lost = under_way(client);
    lines_[client].over = lines_[client].sent;
    return lost;
  }

 private:
  struct Line {
    std::uint32_t sent = 0;
    std::uint32_t over = 0;  // Messages answered or lost.
  };

  std::size_t index(std::size_t client, std::uint32_t sequence) const noexcept {
    return client * stride_ + (sequence & (stride_ - 1));
  }
  Entry& at(std::size_t client, std::uint32_t sequence) noexcept {
    return entries_[index(client, sequence)];
  }

  unsigned pipeline_;
  std::size_t stride_;  // From client to client: a power of two, to spare a division.
  std::vector<Line> lines_;
  std::vector<Entry> entries_;  // By client, then sequence modulo stride_.
};

}  // namespace wiremark::load
