// Latency over time as heat maps.
#include "report/html/heat_maps.h"

#include <algorithm>

#include "picture/charts.h"
#include "report/html/doubt.h"
#include "report/html/latency.h"

namespace wiremark::report {

using namespace measure;

namespace {

// The cells of a column, each of `step` buckets.
picture::HeatColumn heat_of(const Column& column, std::size_t step) {
  picture::HeatColumn heat{column.from, column.to, {}};
  const auto count = static_cast<double>(column.latency->count());
  std::size_t last = CoarseHistogram::kBuckets;
  column.latency->for_each([&](std::size_t index, std::uint64_t values) {
    const double share = static_cast<double>(values) / count;
    if (index / step == last / step) {
      heat.cells.back().share += share;
      return;
    }
    last = index;
    const std::size_t first = index / step * step;
    // A bucket ends where the next begins, and zero has no place on a logarithmic axis.
    heat.cells.push_back({std::max(static_cast<double>(CoarseHistogram::lowest_of(first)), 0.5),
                          static_cast<double>(CoarseHistogram::highest_of(first + step - 1)) + 1,
                          share});
  });
  return heat;
}

}  // namespace

void add_heat_maps(Page& page, std::span<const Timeline> lines) {
  const std::size_t step = cells_of(lines) > kCells ? 2 : 1;
  std::vector<picture::HeatMap> charts;
  std::vector<double> bounds;
  for (const Timeline& line : lines) {
    picture::HeatMap chart{
        {"Latency over time, " + line.name,
         "Each column is a part of the run, and each cell a range of latencies on a logarithmic "
         "axis: the darker, the more of the messages that were answered then lie in it."},
        seconds_axis(lines),
        {}};
    chart.colour = line.colour;
    chart.doubtful = doubtful_from({line.run, 1}).has_value();
    chart.width = lines.size() > 1 ? picture::kHalf : picture::kWide;
    for (const Column& column : line.columns) {
      chart.columns.push_back(heat_of(column, step));
      for (const picture::HeatCell& cell : chart.columns.back().cells)
        bounds.insert(bounds.end(), {cell.low, cell.high});
    }
    charts.push_back(std::move(chart));
  }
  if (lines.size() > 1) page.begin_pair();
  for (std::size_t i = 0; i < charts.size(); ++i) {
    charts[i].y = time_axis("latency (logarithmic)", bounds);
    page.figure(draw(charts[i]),
                charts[i].doubtful ? "Hatched: percentiles of it are not to be trusted." : "",
                percentiles_of(lines[i]));
  }
  if (lines.size() > 1) page.end_pair();
}

}  // namespace wiremark::report
