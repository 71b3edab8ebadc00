// The parts of a plan that a load came to too late through its own fault.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <iterator>

#include "base/clock.h"

namespace wiremark::load {

/// A message may be sent late because its connection had no room, which is the server's doing, or
/// because the load itself came to it late, having had no processor. When a message that waited for
/// room is sent at last, this tells the load's own part, by the planned time of the message.
class Gaps {
 public:
  /// Less than this is what timers do, and is not recorded.
  static constexpr Nanoseconds kGap = kMillisecond;
  /// The newest gaps are kept; a message that waited through more of them is seconds late anyway.
  static constexpr std::size_t kKept = 4096;

  /// The load has come to what was planned at `planned`. Called in the order of the plan.
  void came(Nanoseconds planned, Nanoseconds now) {
    if (now - planned < kGap) return;
    if (!gaps_.empty() && planned <= gaps_.back().to) {
      gaps_.back().to = now;
      return;
    }
    gaps_.push_back({planned, now});
    if (gaps_.size() > kKept) gaps_.pop_front();
  }

  /// How late the load came to what was planned at `planned`; 0 if it was in time.
  Nanoseconds lateness(Nanoseconds planned) const noexcept {
    const auto after = std::ranges::upper_bound(gaps_, planned, {}, &Gap::from);
    if (after == gaps_.begin()) return 0;
    const Nanoseconds to = std::prev(after)->to;
    return to > planned ? to - planned : 0;
  }

 private:
  struct Gap {
    Nanoseconds from;  // The first planned time that was late.
    Nanoseconds to;    // When the load had caught up.
  };

  std::deque<Gap> gaps_;
};

}  // namespace wiremark::load
