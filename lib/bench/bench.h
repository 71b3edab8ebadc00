// The method of codecbench: rows checked, calibrated, interleaved, repeated and summed up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "bench/cell.h"
#include "bench/subject.h"
#include "measure/cpu_usage.h"
#include "net/stop.h"

namespace wiremark::bench {

/// How rows are measured. Every repeat measures every row once, in a new order; a row is set up
/// anew each time, with its data at other addresses.
struct Method {
  Nanoseconds cell_time = 100 * kMillisecond;  ///< For one row, all repeats together.
  std::uint64_t operations = 0;  ///< How many operations a row does; 0: cell_time decides.
  unsigned repeat = 9;
  unsigned threads = 1;   ///< All measure the same row at once, each with its own data.
  std::vector<int> cpus;  ///< Thread i is pinned to entry i modulo their number; empty: not pinned.
  std::uint64_t seed = 1;
  std::uint64_t memory_bytes = 0;  ///< All that the threads may take together; 0: no bound.
  Nanoseconds batch_time = 20 * kMicrosecond;  ///< About 1,000 times what reading the clock costs.
};

/// The time of a row when none was asked for: all rows together take 18 s, so that the default run
/// ends within 30 s, set-up included; but 5 ms to 500 ms each.
constexpr Nanoseconds even_share(std::size_t rows) noexcept {
  return std::clamp(18 * kSecond / std::max<std::size_t>(rows, 1), 5 * kMillisecond,
                    500 * kMillisecond);
}

/// Progress: `done` of `total` slices; a slice is one repeat of one row.
struct Standing {
  std::size_t done = 0;
  std::size_t total = 0;
  const CellName* name = nullptr;
};

struct Measurement {
  std::vector<Cell> cells;     ///< In the order of the rows.
  std::vector<Cell> parallel;  ///< Of a second run on all processors; empty if there was none.
  double seconds = 0;
  unsigned repeats = 0;  ///< Complete ones.
  bool interrupted = false;
  std::string counters_unavailable;  ///< Why instructions and cycles are missing; or empty.
  measure::MachineUsage machine;     ///< Use of all processors during the run.
};

/// Measures `rows`. Ends early when `stop` is requested. `progress` is called by one thread before
/// each slice. Errors: a thread cannot be started or pinned; the threads would take more memory
/// than the method allows.
Result<Measurement> run_bench(const std::vector<Row>& rows, const Method& method,
                              const net::Stop& stop,
                              const std::function<void(const Standing&)>& progress);

}  // namespace wiremark::bench
