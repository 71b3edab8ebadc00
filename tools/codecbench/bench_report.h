// The end of a run: what is printed, what is written, and the exit code.
#pragma once

#include <chrono>

#include "bench/bench.h"
#include "codecbench/baseline.h"
#include "codecbench/bench_options.h"

namespace wiremark::tools {

/// Prints and writes `measurement` as `options` ask, beside the cells of an earlier run. The exit
/// code: 0; 1 when a row's check failed or a row is slower than the baseline, or that has no row of
/// this run; 3 when a file cannot be written; 130 when interrupted.
int report(const Options& options, std::chrono::system_clock::time_point started,
           const Measurement& measurement, const std::vector<Cell>& before);

}  // namespace wiremark::tools
