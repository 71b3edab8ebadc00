// The stretches of a plan that a load came to late by its own doing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>

#include "base/clock.h"

namespace wiremark::load {

/// A message that waits for room in its connection is sent long after the load came to it. How late
/// that was is looked up here by its planned time, so that a wait for the server is not taken for
/// the load's own, nor the other way round.
class Gaps {
 public:
  /// What is less late than this is the way of timers, and not kept.
  static constexpr Nanoseconds kGap = kMillisecond;
  /// The latest of them are kept; a message that waited through more has been late for seconds.
  static constexpr std::size_t kKept = 4096;

  /// The load comes to what was planned then, in the order of the plan.
  void came(Nanoseconds planned, Nanoseconds now) {
    if (now - planned < kGap) return;
    if (!gaps_.empty() && planned <= gaps_.back().to) {
      gaps_.back().to = now;
      return;
    }
    gaps_.push_back({planned, now});
    if (gaps_.size() > kKept) gaps_.pop_front();
  }

  /// How late the load came to what was planned then; 0 where it was in time.
  Nanoseconds lateness(Nanoseconds planned) const noexcept {
    const auto after = std::ranges::upper_bound(gaps_, planned, {}, &Gap::from);
    if (after == gaps_.begin()) return 0;
    const Nanoseconds to = std::prev(after)->to;
    return to > planned ? to - planned : 0;
  }

 private:
  struct Gap {
    Nanoseconds from;  // The first planned time in it.
    Nanoseconds to;    // When the load was through with it.
  };

  std::deque<Gap> gaps_;
};

}  // namespace wiremark::load
