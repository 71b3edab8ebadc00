// Whether the figures of a run can be trusted, and why not.
#pragma once

#include <string>
#include <vector>

#include "measure/result.h"

namespace wiremark::measure {

/// A generator busier than this may be what was measured, instead of the server.
inline constexpr double kGeneratorBusyPctMax = 90;
/// The share of planned messages that may be missing or late.
inline constexpr double kScheduleMissedPctMax = 1;
/// Time the hypervisor gave to others shows up as latency of nobody here.
inline constexpr double kStealPctMax = 1;
/// Processor time, in percent of one core, that neither end of the run accounts for.
inline constexpr double kOthersBusyPctMax = 20;
/// Fewer values beyond a percentile than this, and it is the luck of single values.
inline constexpr double kSamplesBeyondMin = 10;

/// One sentence for each reason to doubt `result`; none when there is no doubt. To be appended to
/// its warnings.
std::vector<std::string> judge(const RunResult& result);

}  // namespace wiremark::measure
