// The intervals of several runs as those of the whole.
#pragma once

#include <span>
#include <vector>

#include "report/merge.h"
#include "report/result.h"

namespace wiremark::report {

/// Those of runs in turn one behind the other; those of runs at once added up, bucket by bucket,
/// with percentiles to the resolution of the buckets. None where a run has none, and at once where
/// one has no buckets or they do not lie at the same times.
std::vector<Interval> intervals_of(std::span<const RunResult> runs, Order order);

}  // namespace wiremark::report
