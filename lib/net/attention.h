// When a loop was held up, and since when it should have delivered what it delivers now.
#pragma once

#include <algorithm>

#include "base/clock.h"

namespace wiremark::net {

/// Told of each turn when its wait began, how long that may sleep, and when it was over. A loop
/// whose process was stopped or had no processor wakes too late or works too long, and what arrived
/// meanwhile lay there by the loop's doing. One thread.
class Attention {
 public:
  /// Work of a turn, or sleep past its end, that is no ordinary turn any more.
  static constexpr Nanoseconds kHeldUp = kMillisecond;
  /// How late a timer may be: its slack of 50 us (prctl(2), PR_SET_TIMERSLACK), and the wake.
  static constexpr Nanoseconds kTimerSlack = 100 * kMicrosecond;

  /// With a heartbeat no sleep is longer, so that one in which the process stood still is seen;
  /// 0 is none.
  explicit Attention(Nanoseconds heartbeat) noexcept : heartbeat_(heartbeat) {}

  /// The moment until which a wait that begins `now` may sleep.
  Nanoseconds at_most(Nanoseconds now, Nanoseconds deadline) const noexcept {
    return heartbeat_ > 0 ? std::min(deadline, now + heartbeat_) : deadline;
  }
  /// A wait begins that sleeps until then at most; `until` before `now` is a look without sleep.
  void waits(Nanoseconds now, Nanoseconds until) noexcept {
    began_ = now;
    until_ = std::max(now, until);
  }
  /// It is over.
  void woke(Nanoseconds now) noexcept {
    const Nanoseconds worked = woke_ == 0 ? 0 : began_ - woke_;
    const Nanoseconds overslept = now > until_ ? now - until_ : 0;
    heard_ = now;
    if (overslept > kTimerSlack)
      heard_ = until_;
    else if (worked >= kHeldUp && now - began_ < kTimerSlack)
      heard_ = woke_;  // It found at once what had arrived while it worked.
    gap_ = std::max(worked, overslept);
    woke_ = now;
  }

  /// The end of the last wait.
  Nanoseconds woke() const noexcept { return woke_; }
  /// When a loop that is never held up would have delivered what this turn does, at the earliest.
  Nanoseconds heard() const noexcept { return heard_; }
  /// How long the loop had not listened when it woke: the work before the wait, or oversleeping.
  Nanoseconds gap() const noexcept { return gap_; }

 private:
  Nanoseconds heartbeat_;
  Nanoseconds began_ = 0;
  Nanoseconds until_ = 0;
  Nanoseconds woke_ = 0;
  Nanoseconds heard_ = 0;
  Nanoseconds gap_ = 0;
};

}  // namespace wiremark::net
