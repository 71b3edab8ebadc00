// What the threads of a load share: the plan, the start, and what each of them counts.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/counter.h"
#include "measure/histogram.h"
#include "measure/result.h"
#include "net/reactor_options.h"
#include "net/socket.h"
#include "net/sources.h"
#include "net/stop.h"
#include "netload/schedule.h"

namespace wiremark::tools {

/// Set before the threads start; none changes it.
struct LoadPlan {
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
  std::uint32_t run = 0;       ///< UDP: what the datagrams of this run are known by.

  bool open_loop() const noexcept { return rate_hz > 0; }
  /// How many of `count` things dealt out in turn are one thread's.
  std::uint64_t share_of(std::uint64_t count, std::size_t thread) const noexcept {
    return (count - thread + threads - 1) / threads;
  }
};

/// The start and the end of a run, between the control thread and its workers.
struct StartGate {
  std::atomic<Nanoseconds> connect_ns{0};  ///< When connection 0 is started; 0 before it is known.
  std::atomic<Nanoseconds> start_ns{0};    ///< Set by the control thread; 0 while closed.
  std::atomic<std::size_t> running{0};     ///< Workers that still send or await.
  net::Stop over;
  std::atomic<bool> heard{false};           ///< UDP: an answer has come, whatever it was.
  std::atomic<bool> nobody_listens{false};  ///< UDP: the network said so before that.

  /// Until when a worker waits whose connections stand; 0 when the start has come.
  Nanoseconds closed_until(Nanoseconds now) const noexcept {
    constexpr Nanoseconds kPoll = 500 * kMicrosecond;
    const Nanoseconds start = start_ns.load(std::memory_order_acquire);
    if (start == 0) return now + kPoll;
    return now < start ? start : 0;
  }
  /// A worker is done; the last one ends the run.
  void leave() {
    if (running.fetch_sub(1) == 1) over.request();
  }
};

/// How a connection that found no local port is counted.
inline constexpr const char* kNoPort =
    "connect: no local port is free (add addresses with --source-ip, or widen "
    "net.ipv4.ip_local_port_range with sysctl)";

/// How a datagram is counted that met no socket (ICMP port unreachable, ip(7): ECONNREFUSED).
inline constexpr const char* kUnreachable = "port unreachable: nobody listens there";

/// Written by one worker; the counters and histograms may be read while it runs, the rest after.
/// All but connections and errors speak of the measured part only.
struct LoadCounts {
  Counter connected;
  Counter closed;  ///< Connections that had opened and ended, by either side.
  Counter failed;  ///< Connections that did not open or ended early.
  Counter planned;
  Counter overdue;  ///< Planned, and over measure::kLateNs past when their turn came.
  Counter sent;
  Counter answered;
  Counter held;  ///< Messages that waited for room in the pipeline of their connection.
  // UDP: datagrams that were no answer in time, or answered out of order. See measure::Delivery.
  Counter late, reordered, duplicated, wrong;
  Counter bytes_in;
  Counter bytes_out;
  std::atomic<Nanoseconds> last_answer_ns{0};
  measure::Histogram
      response;  ///< From the plan, in a closed loop from the send, to the whole reply.
  measure::Histogram service;   ///< Open loop: from the send to the whole reply.
  measure::Histogram lateness;  ///< Open loop: from the plan to the send.
  measure::Histogram connect;   ///< From connect(2) to established.
  std::map<std::string, std::uint64_t> errors;
  std::string wrong_reply;  ///< About the first one; empty while all were right.
  std::vector<std::string> path;
  std::uint64_t datagrams_dropped = 0;  ///< UDP: by the kernel, for want of room in our sockets.
};

}  // namespace wiremark::tools
