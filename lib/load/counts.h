// What one thread of a load counts.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "base/counter.h"
#include "load/error_counts.h"
#include "load/exchange/exchange.h"
#include "load/time_sum.h"
#include "measure/histogram.h"
#include "net/attention.h"

namespace wiremark::load {

/// The error under which a connection without a free local port is counted.
inline constexpr const char* kNoPort =
    "connect: no local port is free (add addresses with --source-ip, or widen "
    "net.ipv4.ip_local_port_range with sysctl)";

/// The error under which a datagram that met no socket is counted (ICMP port unreachable, ip(7):
/// ECONNREFUSED).
inline constexpr const char* kUnreachable = "port unreachable: nobody listens there";

/// The errors under which connections are counted that a server ended, by FIN and not by RST, over
/// which it sent no reply in time, or that did not open in time.
inline constexpr const char* kClosed = "closed by the server";
inline constexpr const char* kUntaken = "closed by the server before it took the request";
inline constexpr const char* kNoReply = "no reply within the timeout";
inline constexpr const char* kConnectTimeout = "connect: timeout";

/// Written by one worker. Counters and histograms may be read while it runs, the other members only
/// after that. All but connections and errors count the measured part only.
struct Counts {
  // A page fault in a turn would be part of what the turn measures.
  Counts() {
    for (measure::Histogram* each : {&response, &least, &service, &lateness, &connect})
      each->touch();
  }

  Counter connected;
  Counter opened_again;  ///< Of those: not for the first time.
  Counter established;   ///< Connections that the kernel opened: connected when greeted as well.
  Counter closed;        ///< Connections that had opened and ended, by either side.
  Counter failed;        ///< Connections that did not open or ended early.
  Counter planned;
  Counter sent;
  Counter repeated;  ///< Of those: once more, their connection had been closed meanwhile.
  Counter behind;    ///< Of those: sent over measure::kBehindNs after their time.
  Counter overdue;   ///< Of those: the load itself came to them so late.
  Counter answered;
  std::array<Counter, kAnswerKinds> kinds;  ///< Of those: by Reply::kind, 0 left out.
  Counter ended;  ///< Connections that the server closed behind a reply, as that had announced.
  Counter closed_idle;  ///< Connections that the server closed with nothing under way.
  Counter held;         ///< Messages that waited for room in the pipeline of their connection.
  /// Answers that came in the asked time, whichever message they answer: what the rate is made of.
  /// Without a limit of time, those of the measured part.
  Counter in_time;
  Counter drained;  ///< Answered, after the asked time.
  // UDP: answers after the timeout, out of order, twice, or wrong. See report::Delivery.
  Counter late, reordered, duplicated, wrong;
  Counter bytes_in;   ///< Of the answers in time.
  Counter bytes_out;  ///< Sent in the asked time.
  std::atomic<Nanoseconds> last_answer_ns{0};
  /// Set by who wants to know how long the message has waited that waits longest; the next turn
  /// clears it, and says since when in oldest_ns, or kNever where none waits.
  std::atomic<bool> ask_oldest{false};
  std::atomic<Nanoseconds> oldest_ns{kNever};
  /// What was left of the asked time when the load gave up: no connection was left or opened.
  std::atomic<Nanoseconds> given_up_ns{0};
  measure::Histogram
      response;  ///< From the plan, in a closed loop from the send, to the whole reply.
  /// Response minus the load's own lateness, in sending and in taking the answer: a lower bound of
  /// what the server and the way to it took.
  measure::Histogram least;
  measure::Histogram service;   ///< Open loop: from the send to the whole reply.
  measure::Histogram lateness;  ///< Open loop: from the plan to the send.
  measure::Histogram connect;   ///< From connect(2) to established.
  ErrorCounts errors;
  TimeSum held_up{net::Attention::kHeldUp};  ///< Times in which the loop did not listen.
  TimeSum lost_wait;        ///< UDP: how long each message was waited for that was given up.
  std::string wrong_reply;  ///< What was wrong with the first wrong reply; empty if none was.
  std::string note;         ///< What else came first: an error reply, or one without an end.
  std::vector<std::string> path;
  std::uint64_t datagrams_dropped = 0;  ///< UDP: by the kernel, because our sockets were full.
};

}  // namespace wiremark::load
