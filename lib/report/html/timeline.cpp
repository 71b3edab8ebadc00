// The intervals of runs as columns of pictures over time.
#include "report/html/timeline.h"

#include <fmt/core.h>

#include <algorithm>

#include "measure/quantity.h"

namespace wiremark::report {

using namespace measure;

namespace {

// The limit of the columns of all pictures of one kind together.
constexpr std::size_t kColumnsInAll = 160;

void raise(double& highest, double value) {
  if (!(highest >= value)) highest = value;
}

// Of several intervals together a percentile follows from their buckets.
void refine(std::vector<Column>& columns) {
  for (Column& column : columns) {
    if (!column.latency || column.latency->count() == 0) continue;
    const auto percentile = [&](double percent) {
      return std::min(static_cast<double>(column.latency->percentile(percent)), column.max_ns);
    };
    column.p50_ns = percentile(50);
    column.p99_ns = percentile(99);
  }
}

std::vector<Column> columns_of(const std::vector<Interval>& intervals, std::size_t most) {
  std::vector<Column> columns;
  const std::size_t each = (intervals.size() + most - 1) / most;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    const Interval& one = intervals[i];
    if (i % each == 0) columns.push_back({one.start_s, one.start_s});
    Column& column = columns.back();
    column.to = one.start_s + one.seconds;
    column.messages += static_cast<double>(one.messages);
    column.errors += static_cast<double>(one.errors);
    column.cpu_s += one.user_s + one.sys_s;
    if (!one.buckets) column.latency.reset();
    if (column.latency) {
      for (const auto& [index, count] : *one.buckets) column.latency->add(index, count);
    }
    // Written before there was null, an interval without answers has zeros.
    if (one.messages == 0) continue;
    if (one.p50_ns) raise(column.p50_ns, static_cast<double>(*one.p50_ns));
    if (one.p99_ns) raise(column.p99_ns, static_cast<double>(*one.p99_ns));
    if (one.max_ns) raise(column.max_ns, static_cast<double>(*one.max_ns));
  }
  if (each > 1) refine(columns);
  return columns;
}

std::vector<Timeline> lines_of(std::span<const NamedRun> runs, std::size_t columns) {
  std::vector<Timeline> lines;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunResult& run = *runs[i].run;
    if (run.intervals.empty()) continue;
    lines.push_back({runs[i].name, i, columns_of(run.intervals, columns), &run});
  }
  return lines;
}

}  // namespace

std::vector<Timeline> timelines_of(std::span<const NamedRun> runs) {
  std::size_t columns = kColumnsInAll / runs.size();
  std::vector<Timeline> lines = lines_of(runs, columns);
  while (cells_of(lines) > 2 * kCells) lines = lines_of(runs, columns /= 2);
  return lines;
}

std::size_t cells_of(std::span<const Timeline> lines) {
  std::size_t cells = 0;
  for (const Timeline& line : lines) {
    for (const Column& column : line.columns)
      if (column.latency) column.latency->for_each([&](auto, auto) { ++cells; });
  }
  return cells;
}

picture::Axis seconds_axis(std::span<const Timeline> lines) {
  picture::Axis axis{"seconds since the start of the run", picture::Spacing::linear, 0, 0,
                     [](double seconds) { return fmt::format("{:.6g} s", seconds); }};
  for (const Timeline& line : lines) axis.high = std::max(axis.high, line.columns.back().to);
  return axis;
}

HtmlTable percentiles_of(const Timeline& line) {
  HtmlTable table{{"from", "p50", "p99", "max", "messages"}, {}};
  const auto cell = [](double ns) { return std::isnan(ns) ? "-" : format_time(ns); };
  for (const Column& column : line.columns) {
    table.rows.push_back({fmt::format("{:.2f} s", column.from), cell(column.p50_ns),
                          cell(column.p99_ns), cell(column.max_ns),
                          format_count(static_cast<std::uint64_t>(column.messages))});
  }
  return table;
}

}  // namespace wiremark::report
