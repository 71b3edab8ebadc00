// What the threads of a load share: what to send, when, and over which connections.
#pragma once

#include <cstdint>
#include <optional>

#include "load/plan/schedule.h"
#include "net/address.h"
#include "net/socket.h"
#include "net/sources.h"

namespace wiremark::load {

/// One of several processes, also on other machines, that are one load together: each has every
/// of-th connection, from connection `index` on.
struct Share {
  unsigned index = 0;
  unsigned of = 1;

  /// How many of `count` things that are dealt out in turn this process gets.
  std::uint64_t part(std::uint64_t count) const noexcept { return (count + of - 1 - index) / of; }
};

/// Set before the threads start and never changed. Connections, their messages and the times of all
/// are those of the whole load, so that the processes of a load send together what one would.
struct Plan {
  net::Address target;
  net::SocketOptions socket;
  net::Sources sources;
  std::size_t connections = 1;
  Share share;
  std::size_t threads = 1;           ///< Of this process.
  double rate_hz = 0;                ///< Messages per second of one connection; 0 is a closed loop.
  std::optional<Schedule> schedule;  ///< Open loop: warm-up and measured part together.
  unsigned pipeline = 1;             ///< The most messages of one connection under way.
  std::uint64_t requests = 0;        ///< Messages of the measured part; 0 is no limit.
  Nanoseconds duration = 0;          ///< Of the measured part; 0 is no limit.
  Nanoseconds warmup = 0;            ///< Before the measured part; left out of every figure.
  Nanoseconds gather = 0;   ///< Open loop: due messages are sent at multiples of it; 0: at once.
  Nanoseconds timeout = 0;  ///< A reply later than this ends its connection; over UDP it is lost.
  std::uint64_t churn = 0;  ///< Messages of a connection before it is opened again; 0 is no limit.
  /// Whether a connection is opened again that failed otherwise than by the server's end of it.
  bool reconnect = false;
  double connect_rate_hz = 0;  ///< Connections started per second; 0 is as fast as they open.

  bool timed_from_send = false;  ///< Open loop: latency counts from the send, not from the plan.

  bool open_loop() const noexcept { return rate_hz > 0; }
  /// Whether the time ends it before the requests do; a closed loop with both cannot tell.
  bool ends_by_time() const noexcept {
    if (duration == 0 || requests == 0) return duration > 0;
    return schedule && schedule->places() < schedule->first_from(warmup) + requests;
  }
  /// A lane is one thread of one process. What is dealt out in turn goes from lane to lane.
  std::size_t lanes() const noexcept { return threads * share.of; }
  std::size_t lane_of(std::size_t thread) const noexcept { return thread * share.of + share.index; }
  /// How many of `count` things that are dealt out in turn `thread` gets.
  std::uint64_t part_of(std::uint64_t count, std::size_t thread) const noexcept {
    return (count + lanes() - 1 - lane_of(thread)) / lanes();
  }
  std::size_t own_connections() const noexcept { return share.part(connections); }
  /// `requests` of this process.
  std::uint64_t own_requests() const noexcept {
    if (!schedule) return share.part(requests);
    const std::uint64_t first = schedule->first_from(warmup);
    return own_places(first + requests) - own_places(first);
  }

 private:
  // How many of the first `places` of the schedule are this process's.
  std::uint64_t own_places(std::uint64_t places) const noexcept {
    return places / connections * own_connections() + share.part(places % connections);
  }
};

}  // namespace wiremark::load
