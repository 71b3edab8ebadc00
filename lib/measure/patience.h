// How long a thread looks for what another one does, before it rests.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace wiremark::measure {

/// It looks for a stretch of 10 us and rests after each that was in vain, but for the first
/// hundred: where nobody else runs the two threads are in time with each other, and beside programs
/// that are busy a thread would spin through their turns.
class Patience {
 public:
  static constexpr Nanoseconds kStretch = 10 * kMicrosecond;
  static constexpr Nanoseconds kRest = 100 * kMicrosecond;
  static constexpr int kStretchesMax = 100;

  enum class Next : std::uint8_t { look, rest, leave };

  /// It begins to look for something else.
  void begin() noexcept { since_ = 0; }

  /// What comes next after looks in vain, at this time; from `until` on it leaves.
  Next next(Nanoseconds now, Nanoseconds until) noexcept {
    if (since_ == 0) since_ = now;
    if (now - since_ < kStretch) return Next::look;
    since_ = 0;
    if (now >= until) return Next::leave;
    return stretches_++ < kStretchesMax ? Next::look : Next::rest;
  }

 private:
  Nanoseconds since_ = 0;  // This stretch; 0 before the first look at the clock.
  int stretches_ = 0;      // In vain.
};

}  // namespace wiremark::measure
