// Why figures of a run should not be believed.
#include "bench/verdict.h"

#include <fmt/format.h>

#include <functional>

#include "base/cpus.h"

namespace wiremark::bench {
namespace {

// Time the hypervisor gave to others, in percent of all processors.
constexpr double kStealPctMax = 1;

/// "2 of 90 rows, such as packet/bytes:own/decode/hot", or nothing when no measured row fits.
std::string rows_that(const std::vector<Cell>& cells,
                      const std::function<bool(const CellFigures&)>& fits) {
  std::size_t count = 0;
  std::string example;
  for (const Cell& cell : cells) {
    if (cell.figures.batches == 0 || !fits(cell.figures)) continue;
    if (count++ == 0) example = cell.name.key();
  }
  if (count == 0) return {};
  return fmt::format("{} of {} rows (such as {})", count, cells.size(), example);
}

}  // namespace

std::vector<std::string> judge(const Method& method, const Measurement& measurement) {
  std::vector<std::string> warnings;
  const auto warn = [&warnings](const std::string& rows, std::string_view why) {
    if (!rows.empty()) warnings.push_back(fmt::format("{}: {}", rows, why));
  };
  if (measurement.interrupted) {
    warnings.push_back(fmt::format("interrupted: {} of {} repeats are complete",
                                   measurement.repeats, method.repeat));
  }
  const std::vector<Cell>& cells = measurement.cells;
  warn(rows_that(cells, [](const auto& row) { return row.spread_pct > kSpreadPctMax; }),
       "repeats over 10 % apart");
  const auto threads = static_cast<double>(method.threads);
  warn(rows_that(cells,
                 [threads](const auto& row) {
                   const double wall_ns = threads * 1e9 / row.qps;
                   return 100 * (row.cpu_user_ns + row.cpu_sys_ns) < kCpuSharePctMin * wall_ns;
                 }),
       "processor taken away for over 5 %");
  warn(rows_that(cells, [](const auto& row) { return row.batches < kBatchesMin; }),
       "p99 rests on less than 10 batches");
  if (measurement.machine.steal_pct() > kStealPctMax) {
    warnings.push_back(fmt::format("the hypervisor gave {:.1f} % of the machine to others",
                                   measurement.machine.steal_pct()));
  }
  if (method.threads > allowed_cpus().size()) {
    warnings.push_back("more threads than processors: they wait for each other");
  }
  return warnings;
}

}  // namespace wiremark::bench
