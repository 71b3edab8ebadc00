// When a message counts as sent behind its time.
#pragma once

#include "base/clock.h"

namespace wiremark::measure {

/// A message that is sent this long after its planned time counts as sent behind it. Less is what
/// scheduling on a shared machine does.
inline constexpr Nanoseconds kBehindNs = 10 * kMillisecond;

}  // namespace wiremark::measure
