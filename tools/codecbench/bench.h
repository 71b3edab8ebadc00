// The method of codecbench: rows checked, calibrated, interleaved, repeated and summed up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "codecbench/cell.h"
#include "codecbench/subject.h"
#include "measure/cpu_usage.h"
#include "net/stop.h"

namespace wiremark::tools {

/// How rows are measured. Every repeat measures every row once, in an order of its own; a row is
/// set up anew each time, with its data at other addresses.
struct Method {
  Nanoseconds cell_time = 100 * kMillisecond;  ///< For one row, all repeats together.
  std::uint64_t operations = 0;                ///< Unless 0, how many a row does, not how long.
  unsigned repeat = 9;
  unsigned threads = 1;   ///< All measure the same row at the same time, each on its own data.
  std::vector<int> cpus;  ///< Thread i is pinned to entry i, over and over; empty: not pinned.
  std::uint64_t seed = 1;
  Nanoseconds batch_time = 20 * kMicrosecond;  ///< About 1,000 times what reading the clock costs.
};

/// What a row gets when nobody said how long: all rows together run 18 s, so that the default run
/// ends within 30 s, set-up included; 5 ms to 500 ms each.
constexpr Nanoseconds even_share(std::size_t rows) noexcept {
  return std::clamp(18 * kSecond / std::max<std::size_t>(rows, 1), 5 * kMillisecond,
                    500 * kMillisecond);
}

/// Where a measurement stands: `done` of `total` slices; a slice is one repeat of one row.
struct Standing {
  std::size_t done = 0;
  std::size_t total = 0;
  const CellName* name = nullptr;
};

struct Measurement {
  std::vector<Cell> cells;     ///< In the order of the rows.
  std::vector<Cell> parallel;  ///< Of a second run on all processors; empty when there was none.
  double seconds = 0;
  unsigned repeats = 0;  ///< Complete ones.
  bool interrupted = false;
  std::string counters_unavailable;  ///< Why instructions and cycles are missing; or empty.
  measure::MachineUsage machine;     ///< What all processors did meanwhile.
};

/// Measures `rows`. Ends early when `stop` is requested. `progress` is called by one thread before
/// each slice. Errors: a thread cannot be pinned.
Result<Measurement> run_bench(const std::vector<Row>& rows, const Method& method,
                              const net::Stop& stop,
                              const std::function<void(const Standing&)>& progress);

}  // namespace wiremark::tools
