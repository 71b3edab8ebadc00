// What of a run is drawn as doubtful.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "report/result.h"

namespace wiremark::report {

/// Whether `figure` ("rate", "cost", "p99") was judged and is not to be trusted.
bool doubtful(const RunResult& run, std::string_view figure);

/// From which percentile on the latency of most of `runs` is not to be trusted: the last one
/// before the first that is not. None where all are.
std::optional<double> doubtful_from(std::span<const RunResult> runs);

}  // namespace wiremark::report
