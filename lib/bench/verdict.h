// Why figures of a run should not be believed.
#pragma once

#include <string>
#include <vector>

#include "bench/bench.h"

namespace wiremark::bench {

inline constexpr double kSpreadPctMax =
    10;  ///< Above it, two runs may disagree about which is faster.
inline constexpr double kCpuSharePctMin = 95;       ///< Of the time within batches.
inline constexpr std::uint64_t kBatchesMin = 1000;  ///< So that 10 are above the p99.

/// One sentence for each doubt.
std::vector<std::string> judge(const Method& method, const Measurement& measurement);

}  // namespace wiremark::bench
