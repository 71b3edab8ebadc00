// When a message counts as sent late.
#pragma once

#include "base/clock.h"

namespace wiremark::measure {

/// How far behind its plan a message may be sent: scheduling on a shared machine, not a missed
/// plan.
inline constexpr Nanoseconds kLateNs = 10 * kMillisecond;

}  // namespace wiremark::measure
