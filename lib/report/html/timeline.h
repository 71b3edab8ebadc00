// The intervals of runs as columns of pictures over time.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/coarse_histogram.h"
#include "picture/charts.h"
#include "report/html.h"
#include "report/html/page.h"

namespace wiremark::report {

/// The limit of the cells of all heat maps, some 28 bytes each, so that a page stays under 300 KB.
inline constexpr std::size_t kCells = 6'000;

/// The neighbouring intervals of a run that are drawn as one column.
struct Column {
  double from = 0;
  double to = 0;
  double messages = 0;
  double errors = 0;
  double cpu_s = 0;
  double p50_ns = NAN;
  double p99_ns = NAN;
  double max_ns = NAN;
  std::optional<measure::CoarseHistogram> latency =
      measure::CoarseHistogram();  // None where an interval has none.

  double seconds() const { return to - from; }
};

/// One run.
struct Timeline {
  std::string name;
  std::size_t colour = 0;
  std::vector<Column> columns;
  const RunResult* run = nullptr;
};

/// Of the runs that kept intervals, in as few columns as these pictures have room for.
std::vector<Timeline> timelines_of(std::span<const NamedRun> runs);

/// How many cells their heat maps have.
std::size_t cells_of(std::span<const Timeline> lines);

picture::Axis seconds_axis(std::span<const Timeline> lines);

/// The percentiles of each column.
HtmlTable percentiles_of(const Timeline& line);

}  // namespace wiremark::report
