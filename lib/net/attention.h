// Notices when a loop was held up, and when it should have delivered what it delivers now.
#pragma once

#include <algorithm>

#include "base/clock.h"

namespace wiremark::net {

/// A time in which a loop did not listen.
struct Gap {
  Nanoseconds from;
  Nanoseconds length;
};

/// Is told of each turn when its wait began, how long that may sleep, and when it ended. A loop
/// whose process was stopped or had no processor wakes too late, or works too long before it waits
/// again. What arrived meanwhile was kept waiting by the loop, not by the network. One thread.
class Attention {
 public:
  /// A turn that works this long, or oversleeps by this much, was held up.
  static constexpr Nanoseconds kHeldUp = kMillisecond;
  /// How late a timer fires without anything being wrong: its slack of 50 us (prctl(2),
  /// PR_SET_TIMERSLACK), and the wake-up.
  static constexpr Nanoseconds kTimerSlack = 100 * kMicrosecond;

  /// No sleep is longer than `heartbeat`, so that a standstill of the process during a sleep is
  /// noticed; 0: sleeps have no limit.
  explicit Attention(Nanoseconds heartbeat) noexcept : heartbeat_(heartbeat) {}

  /// The loop begins, with its first turn.
  void begins(Nanoseconds now) noexcept { woke_ = began_ = until_ = now; }
  /// Until when a wait that begins `now` may sleep.
  Nanoseconds at_most(Nanoseconds now, Nanoseconds deadline) const noexcept {
    return heartbeat_ > 0 ? std::min(deadline, now + heartbeat_) : deadline;
  }
  /// A wait begins that may sleep until then; `until` before `now` means a look without sleep.
  void waits(Nanoseconds now, Nanoseconds until) noexcept {
    began_ = now;
    until_ = std::max(now, until);
  }
  /// The wait has ended. Runs once a turn, and costs little more than a call.
  [[gnu::always_inline]] void woke(Nanoseconds now) noexcept {
    const Nanoseconds worked = began_ - woke_;
    const Nanoseconds overslept = now > until_ ? now - until_ : 0;
    heard_ = now;
    gap_ = std::max(worked, overslept);
    if (gap_ > kTimerSlack) [[unlikely]] {
      if (overslept > kTimerSlack)
        heard_ = until_;
      else if (worked >= kHeldUp && now - began_ < kTimerSlack)
        heard_ = woke_;  // The wait returned at once: this had arrived while the loop worked.
    }
    woke_ = now;
  }

  /// The end of the last wait.
  Nanoseconds woke() const noexcept { return woke_; }
  /// The earliest time at which a loop that is never held up could have delivered what this turn
  /// delivers.
  Nanoseconds heard() const noexcept { return heard_; }
  /// How long the loop had not listened when it woke: the work before the wait, or oversleeping,
  /// whichever took longer.
  Gap gap() const noexcept {
    const bool overslept = woke_ > until_ && woke_ - until_ == gap_;
    return {(overslept ? woke_ : began_) - gap_, gap_};
  }

 private:
  Nanoseconds heartbeat_;
  Nanoseconds began_ = 0;
  Nanoseconds until_ = 0;
  Nanoseconds woke_ = 0;
  Nanoseconds heard_ = 0;
  Nanoseconds gap_ = 0;
};

}  // namespace wiremark::net
