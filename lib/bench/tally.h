// What one thread counted of one row, and the figures made from it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/clock.h"
#include "bench/cell.h"
#include "measure/cpu_usage.h"

namespace wiremark::bench {

struct Tally {
  std::vector<float> batches;            ///< ns per operation of each batch.
  std::vector<std::size_t> repeat_ends;  ///< How many batches there were after each repeat.
  std::uint64_t operations = 0;
  std::uint64_t batch_operations = 0;
  Nanoseconds busy = 0;  ///< Time within batches.
  measure::CpuUsage cpu;
  std::uint64_t allocations = 0;
  std::uint64_t counted_operations =
      0;  ///< Operations over which instructions and cycles were counted.
  std::uint64_t instructions = 0;
  std::uint64_t cycles = 0;
  double wire_bytes = 0;
};

/// Sums up what all threads counted of a row; `tallies` must not be empty.
CellFigures sum_up(std::span<const Tally> tallies);

}  // namespace wiremark::bench
