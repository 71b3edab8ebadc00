// How the control thread and the workers agree on the start and the end of a run.
#pragma once

#include <atomic>
#include <cstddef>

#include "base/clock.h"
#include "net/stop.h"

namespace wiremark::load {

/// The control thread opens it; every worker leaves it once.
struct StartGate {
  /// The gate opens so long before the start, so that every worker has seen it by then.
  static constexpr Nanoseconds kLead = 2 * kMillisecond;

  std::atomic<Nanoseconds> connect_ns{0};  ///< When connection 0 is started; 0: not known yet.
  std::atomic<Nanoseconds> start_ns{0};    ///< Set by the control thread; 0 while closed.
  std::atomic<std::size_t> running{0};     ///< Workers that still send or wait for replies.
  net::Stop over;
  std::atomic<bool> heard{false};           ///< UDP: some answer has come.
  std::atomic<bool> nobody_listens{false};  ///< UDP: the network said so before any answer.

  /// Until when a worker waits whose connections are open; 0 once the run has started.
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

}  // namespace wiremark::load
