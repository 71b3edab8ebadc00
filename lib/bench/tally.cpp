// What one thread counted of one row, and the figures made from it.
#include "bench/tally.h"

#include <algorithm>
#include <cmath>

#include "bench/allocations.h"

namespace wiremark::bench {
namespace {

/// The value that `percent` of `sorted` do not exceed (nearest rank); 0 when there is none.
template <class T>
double percentile(std::span<const T> sorted, double percent) noexcept {
  if (sorted.empty()) return 0;
  const auto rank =
      static_cast<std::size_t>(std::ceil(percent / 100 * static_cast<double>(sorted.size())));
  return static_cast<double>(sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1]);
}

/// Of each repeat, over all threads, the percentile `percent` of the batches; 0 is the fastest.
std::vector<double> each_repeat(std::span<const Tally> tallies, double percent) {
  std::vector<double> repeats;
  for (std::size_t repeat = 0; repeat < tallies[0].repeat_ends.size(); ++repeat) {
    std::vector<float> batches;
    for (const Tally& tally : tallies) {
      const std::size_t from = repeat == 0 ? 0 : tally.repeat_ends[repeat - 1];
      batches.insert(
          batches.end(), tally.batches.begin() + static_cast<std::ptrdiff_t>(from),
          tally.batches.begin() + static_cast<std::ptrdiff_t>(tally.repeat_ends[repeat]));
    }
    std::sort(batches.begin(), batches.end());
    if (!batches.empty()) repeats.push_back(percentile<float>(batches, percent));
  }
  return repeats;
}

}  // namespace

CellFigures sum_up(std::span<const Tally> tallies) {
  CellFigures figures;
  std::vector<float> batches;
  measure::CpuUsage cpu;
  std::uint64_t allocations = 0, counted = 0, instructions = 0, cycles = 0;
  for (const Tally& tally : tallies) {
    batches.insert(batches.end(), tally.batches.begin(), tally.batches.end());
    figures.operations += tally.operations;
    if (tally.busy > 0) {
      figures.qps += 1e9 * static_cast<double>(tally.operations) / static_cast<double>(tally.busy);
    }
    cpu = cpu + tally.cpu;
    allocations += tally.allocations;
    counted += tally.counted_operations;
    instructions += tally.instructions;
    cycles += tally.cycles;
  }
  if (batches.empty()) return figures;
  std::sort(batches.begin(), batches.end());
  figures.batches = batches.size();
  figures.batch_operations = tallies[0].batch_operations;
  figures.ns_min = static_cast<double>(batches.front());
  figures.ns_p50 = percentile<float>(batches, 50);
  figures.ns_p99 = percentile<float>(batches, 99);
  figures.repeats_ns = each_repeat(tallies, 0);
  std::vector<double> medians = each_repeat(tallies, 50);
  std::sort(medians.begin(), medians.end());
  const auto quartile = [&medians](double percent) { return percentile<double>(medians, percent); };
  if (quartile(50) > 0) figures.spread_pct = 100 * (quartile(75) - quartile(25)) / quartile(50);
  figures.wire_bytes = tallies[0].wire_bytes;
  figures.mb_per_s = figures.qps * figures.wire_bytes / 1e6;
  const auto operations = static_cast<double>(figures.operations);
  if (allocations_of_this_thread())
    figures.allocations = static_cast<double>(allocations) / operations;
  figures.cpu_user_ns = cpu.user_s() * 1e9 / operations;
  figures.cpu_sys_ns = cpu.sys_s() * 1e9 / operations;
  if (counted > 0 && instructions > 0) {
    figures.instructions = static_cast<double>(instructions) / static_cast<double>(counted);
    figures.cycles = static_cast<double>(cycles) / static_cast<double>(counted);
  }
  return figures;
}

}  // namespace wiremark::bench
