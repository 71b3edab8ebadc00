// The echo protocol of netecho, and what one of its threads counts.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/counter.h"
#include "measure/histogram.h"
#include "net/handler.h"
#include "net/reactor_options.h"

namespace wiremark::tools {

/// Written by one worker; the counters and the histogram may be read while it runs, the rest after.
struct EchoCounts {
  Counter opened;
  Counter closed;
  Counter messages;  ///< Reads that brought bytes: without a format nobody knows where one ends.
  Counter bytes_in;
  measure::Histogram service;  ///< From the wake-up that brought the bytes to the end of its turn.
  std::map<int, std::uint64_t> closed_by_error;  ///< errno to connections.
  net::ReactorStats reactor;
  std::vector<std::string> path;
};

/// Sends back whatever arrives.
template <class Reactor>
class Echo {
 public:
  Echo(const Reactor& reactor, EchoCounts& counts) : reactor_(reactor), counts_(counts) {}

  void on_open(net::Conn&) { counts_.opened.add(); }

  std::size_t on_data(net::Conn& conn, Bytes bytes) {
    conn.lend(bytes);
    ++turn_messages_;
    turn_bytes_ += bytes.size();
    return bytes.size();
  }

  void on_close(net::Conn&, int error) {
    counts_.closed.add();
    if (error != 0) ++counts_.closed_by_error[error];
  }

  // Every answer of a turn counts as given at its end: exact for io_uring, which hands them over
  // together, and an upper bound for epoll. One clock read serves the whole turn.
  Nanoseconds on_turn(Nanoseconds now) {
    if (turn_messages_ > 0) {
      counts_.service.record_many(now - reactor_.woke_ns(), turn_messages_);
      counts_.messages.add(turn_messages_);
      counts_.bytes_in.add(turn_bytes_);
      turn_messages_ = 0;
      turn_bytes_ = 0;
    }
    return kNever;
  }

 private:
  const Reactor& reactor_;
  EchoCounts& counts_;
  std::uint64_t turn_messages_ = 0;
  std::uint64_t turn_bytes_ = 0;
};

}  // namespace wiremark::tools
