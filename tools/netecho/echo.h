// The echo protocol of netecho, and what one of its threads counts.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/counter.h"
#include "measure/cpu_usage.h"
#include "measure/gap_watch.h"
#include "measure/histogram.h"
#include "net/concepts.h"
#include "net/datagram.h"
#include "net/reactor_options.h"
#include "wire/describe.h"

namespace wiremark::tools {

/// Written by one worker. Counters and the histogram may be read while it runs, the other members
/// only after that.
struct EchoCounts {
  Counter opened;
  Counter closed;
  Counter messages;  ///< Without a format: reads, since the bytes do not tell where a message ends.
  Counter bytes_in;
  measure::Histogram service;  ///< From the wake-up that brought the bytes to the end of its turn.
  std::map<int, std::uint64_t> closed_by_error;  ///< errno to connections.
  std::map<std::string, std::uint64_t>
      refused;                ///< Connections ended for what they sent, by the name of the error.
  std::string first_refusal;  ///< What was expected and what came, in words.
  net::ReactorStats reactor;
  std::uint64_t datagrams_dropped = 0;  ///< By the kernel, because our socket was full.
  std::vector<std::string> path;
  measure::GapWatch gaps;  ///< Counts where netload, which started this, reads it.

  /// Counts a connection that ends because `stream` starts with no message of `format`.
  void refuse(std::string_view format, const wire::DecodeError& error, Bytes stream) {
    ++refused[wire::name_of(format, error.kind)];
    if (first_refusal.empty()) first_refusal = wire::describe(format, error, stream);
  }
};

/// Counts what one turn brings at its end, with one clock read and one visit to the counters. Every
/// answer counts as given at the end of its turn: exact for io_uring, which submits them together,
/// and an upper bound for epoll.
class TurnTally {
 public:
  void add(std::size_t bytes) noexcept {
    ++messages_;
    bytes_ += bytes;
  }

  void end_turn(const net::Reactor auto& reactor, Nanoseconds now, EchoCounts& counts) {
    if (messages_ > 0) {
      counts.service.record_many(now - reactor.woke(), messages_);
      counts.messages.add(messages_);
      counts.bytes_in.add(bytes_);
      messages_ = 0;
      bytes_ = 0;
    }
    const net::Gap gap = reactor.gap();
    counts.gaps.turn(now, reactor.woke(), gap.from, gap.length,
                     measure::processor_time_of_this_thread);
  }

 private:
  std::uint64_t messages_ = 0;
  std::uint64_t bytes_ = 0;
};

/// Sends back whatever arrives.
template <net::Reactor Reactor>
class Echo {
 public:
  Echo(const Reactor& reactor, EchoCounts& counts) : reactor_(reactor), counts_(counts) {}

  void on_open(net::Conn&) { counts_.opened.add(); }

  std::size_t on_data(net::Conn& conn, Bytes bytes) {
    conn.lend(bytes);
    tally_.add(bytes.size());
    return bytes.size();
  }

  void on_moved(net::Conn&, std::size_t size) { tally_.add(size); }

  std::optional<Bytes> on_datagram(Bytes bytes) {
    tally_.add(bytes.size());
    return bytes;
  }

  void on_close(net::Conn&, int error) {
    counts_.closed.add();
    if (error != 0) ++counts_.closed_by_error[error];
  }

  Nanoseconds on_turn(Nanoseconds now) {
    tally_.end_turn(reactor_, now, counts_);
    return kNever;
  }

 private:
  const Reactor& reactor_;
  EchoCounts& counts_;
  TurnTally tally_;
};

}  // namespace wiremark::tools
