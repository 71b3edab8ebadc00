// What one thread of a load counts.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/counter.h"
#include "measure/histogram.h"

namespace wiremark::load {

/// How a connection that found no local port is counted.
inline constexpr const char* kNoPort =
    "connect: no local port is free (add addresses with --source-ip, or widen "
    "net.ipv4.ip_local_port_range with sysctl)";

/// How a datagram is counted that met no socket (ICMP port unreachable, ip(7): ECONNREFUSED).
inline constexpr const char* kUnreachable = "port unreachable: nobody listens there";

/// Written by one worker; the counters and histograms may be read while it runs, the rest after.
/// All but connections and errors speak of the measured part only.
struct Counts {
  Counter connected;
  Counter closed;  ///< Connections that had opened and ended, by either side.
  Counter failed;  ///< Connections that did not open or ended early.
  Counter planned;
  Counter overdue;  ///< Planned, and over measure::kLateNs past when their turn came.
  Counter sent;
  Counter answered;
  Counter held;  ///< Messages that waited for room in the pipeline of their connection.
  // UDP: datagrams that were no answer in time, or answered out of order. See report::Delivery.
  Counter late, reordered, duplicated, wrong;
  Counter bytes_in;
  Counter bytes_out;
  std::atomic<Nanoseconds> last_answer_ns{0};
  /// Time in which the loop did not listen, for net::Attention::kHeldUp or more.
  Counter held_up_ns;
  std::atomic<Nanoseconds> gap_max_ns{0};  ///< The longest that it did not listen.
  measure::Histogram
      response;  ///< From the plan, in a closed loop from the send, to the whole reply.
  /// Response without what the load itself was late, in sending and in taking the answer: no less
  /// than the server and the way to it took.
  measure::Histogram least;
  measure::Histogram service;   ///< Open loop: from the send to the whole reply.
  measure::Histogram lateness;  ///< Open loop: from the plan to the send.
  measure::Histogram connect;   ///< From connect(2) to established.
  std::map<std::string, std::uint64_t> errors;
  std::string wrong_reply;  ///< About the first one; empty while all were right.
  std::vector<std::string> path;
  std::uint64_t datagrams_dropped = 0;  ///< UDP: by the kernel, for want of room in our sockets.
};

}  // namespace wiremark::load
