// What the threads of a load share: what is to be sent, when, and over which connections.
#pragma once

#include <cstdint>
#include <optional>

#include "load/plan/schedule.h"
#include "net/address.h"
#include "net/socket.h"
#include "net/sources.h"

namespace wiremark::load {

/// Set before the threads start; none changes it.
struct Plan {
  net::Address target;
  net::SocketOptions socket;
  net::Sources sources;
  std::size_t connections = 1;
  std::size_t threads = 1;
  double rate_hz = 0;                ///< Messages per second of one connection; 0 is a closed loop.
  std::optional<Schedule> schedule;  ///< Open loop: of warm-up and measured part together.
  unsigned pipeline = 1;             ///< Messages of one connection under way at most.
  std::uint64_t requests = 0;        ///< Messages of the measured part, all threads; 0 is no limit.
  Nanoseconds duration = 0;          ///< Of the measured part; 0 is no limit.
  Nanoseconds warmup = 0;            ///< Before it, left out of every figure.
  Nanoseconds gather = 0;   ///< Open loop: what is due is sent at multiples of it; 0 is at once.
  Nanoseconds timeout = 0;  ///< A reply later than this ends its connection; over UDP it is lost.
  std::uint64_t churn = 0;  ///< Messages of a connection before it is opened anew; 0 is no limit.
  bool reconnect = false;   ///< Whether a connection that broke is opened again.
  double connect_rate_hz = 0;  ///< Connections started per second; 0 is as fast as they open.

  bool timed_from_send = false;  ///< Open loop: what counts is the time since the send.

  bool open_loop() const noexcept { return rate_hz > 0; }
  /// How many of `count` things dealt out in turn are one thread's.
  std::uint64_t share_of(std::uint64_t count, std::size_t thread) const noexcept {
    return (count - thread + threads - 1) / threads;
  }
};

}  // namespace wiremark::load
