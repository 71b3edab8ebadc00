// A run over time as pictures: latency, rate, errors and processor time of its intervals.
#include "report/html/over_time.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "measure/coarse_histogram.h"
#include "measure/quantity.h"
#include "picture/charts.h"
#include "report/html/doubt.h"
#include "report/html/latency.h"
#include "report/verdict.h"

namespace wiremark::report {

using namespace measure;

namespace {

// Limits that keep a page under 300 KB: columns of all pictures of one kind together, and cells of
// all heat maps. A cell takes some 28 bytes.
constexpr std::size_t kColumns = 160;
constexpr std::size_t kCells = 6'000;

// The neighbouring intervals of a run that are drawn as one column.
struct Column {
  double from = 0;
  double to = 0;
  double messages = 0;
  double errors = 0;
  double cpu_s = 0;
  double p50_ns = NAN;
  double p99_ns = NAN;
  double max_ns = NAN;
  std::optional<CoarseHistogram> latency = CoarseHistogram();  // None where an interval has none.

  double seconds() const { return to - from; }
};

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

struct Timeline {
  std::string name;
  std::size_t colour = 0;
  std::vector<Column> columns;
  const RunResult* run = nullptr;
};

double rate_of(const Column& column) {
  return column.seconds() > 0 ? column.messages / column.seconds() : 0;
}
double errors_of(const Column& column) {
  return column.seconds() > 0 ? column.errors / column.seconds() : 0;
}
double cpu_of(const Column& column) {
  return column.seconds() > 0 ? 100 * column.cpu_s / column.seconds() : 0;
}
double p50_of(const Column& column) { return column.p50_ns; }
double p99_of(const Column& column) { return column.p99_ns; }
double max_of(const Column& column) { return column.max_ns; }

// A column is drawn flat, from its begin to its end: its figure is that of all of it.
picture::Curve curve_of(const Timeline& line, const std::string& name, std::size_t colour,
                        double (*figure)(const Column&), const char* judged) {
  picture::Curve curve{name, colour, {}};
  if (doubtful(*line.run, judged)) curve.doubtful_from = -HUGE_VAL;
  for (const Column& column : line.columns) {
    const double value = figure(column);
    curve.points.push_back({column.from, value});
    curve.points.push_back({column.to, value});
  }
  return curve;
}

picture::Axis seconds_axis(std::span<const Timeline> lines) {
  picture::Axis axis{"seconds since the start of the run", picture::Spacing::linear, 0, 0,
                     [](double seconds) { return fmt::format("{:.6g} s", seconds); }};
  for (const Timeline& line : lines) axis.high = std::max(axis.high, line.columns.back().to);
  return axis;
}

HtmlTable table_of(std::span<const Timeline> lines, const std::string& unit,
                   double (*figure)(const Column&), std::string (*format)(double)) {
  HtmlTable table{{"from"}, {}};
  const auto longest =
      std::ranges::max_element(lines, {}, [](const Timeline& line) { return line.columns.size(); });
  for (const Timeline& line : lines) table.head.push_back(line.name + ", " + unit);
  for (std::size_t i = 0; i < longest->columns.size(); ++i) {
    std::vector<std::string> row{fmt::format("{:.2f} s", longest->columns[i].from)};
    for (const Timeline& line : lines) {
      const double value = i < line.columns.size() ? figure(line.columns[i]) : NAN;
      row.push_back(std::isnan(value) ? "-" : format(value));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

struct Strip {
  const char* title;
  const char* description;
  const char* axis;
  const char* unit;
  double (*figure)(const Column&);
  std::string (*format)(double);
  const char* judged;  // The figure of the verdict that it belongs to.
};

void add_strip(Page& page, std::span<const Timeline> lines, const Strip& strip) {
  picture::Curves chart;
  chart.caption = {strip.title, strip.description};
  chart.plot_height = 110;
  double highest = 0;
  for (const Timeline& line : lines) {
    chart.curves.push_back(curve_of(line, line.name, line.colour, strip.figure, strip.judged));
    for (const picture::Point& point : chart.curves.back().points)
      highest = std::max(highest, point.y);
  }
  chart.x = seconds_axis(lines);
  chart.y.title = strip.axis;
  chart.y.label = [&](double value) { return picture::without_zeros(strip.format(value)); };
  chart.y = picture::from_zero(chart.y, highest);
  page.figure(draw(chart), "", table_of(lines, strip.unit, strip.figure, strip.format));
}

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

std::size_t cells_of(std::span<const Timeline> lines) {
  std::size_t cells = 0;
  for (const Timeline& line : lines) {
    for (const Column& column : line.columns)
      if (column.latency) column.latency->for_each([&](auto, auto) { ++cells; });
  }
  return cells;
}

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

// Of runs whose intervals have no histograms.
void add_percentiles_over_time(Page& page, std::span<const Timeline> lines) {
  std::vector<double> all;
  for (const Timeline& line : lines) {
    for (const Column& column : line.columns)
      all.insert(all.end(), {column.p50_ns, column.p99_ns, column.max_ns});
  }
  for (const Timeline& line : lines) {
    picture::Curves chart;
    chart.caption = {"Latency over time, " + line.name,
                     "The median, the 99th percentile and the longest latency of each interval, on "
                     "a logarithmic axis."};
    chart.plot_height = 200;
    chart.curves = {curve_of(line, "p50", 0, p50_of, "p50"),
                    curve_of(line, "p99", 1, p99_of, "p99"),
                    curve_of(line, "max", 2, max_of, "p99.99")};
    chart.x = seconds_axis(lines);
    chart.y = time_axis("latency (logarithmic)", all);
    page.figure(draw(chart), "", percentiles_of(line));
  }
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

void add_over_time(Page& page, std::span<const NamedRun> runs) {
  std::size_t columns = kColumns / runs.size();
  std::vector<Timeline> lines = lines_of(runs, columns);
  while (cells_of(lines) > 2 * kCells) lines = lines_of(runs, columns /= 2);
  if (lines.empty())
    return page.paragraph("No pictures over time: the run kept no intervals (--interval 1s does).",
                          "quiet");
  const bool bucketed = std::ranges::all_of(lines, [](const Timeline& line) {
    return std::ranges::all_of(line.columns, [](const Column& one) { return !!one.latency; });
  });
  if (bucketed)
    add_heat_maps(page, lines);
  else
    add_percentiles_over_time(page, lines);
  add_strip(page, lines,
            {"Messages per second over time", "A line for each run, from zero.", "messages/s",
             "messages/s", rate_of, format_rate, kRate});
  const bool failed = std::ranges::any_of(lines, [](const Timeline& line) {
    return std::ranges::any_of(line.columns, [](const Column& one) { return one.errors > 0; });
  });
  if (failed) {
    add_strip(page, lines,
              {"Errors per second over time", "A line for each run, from zero.", "errors/s",
               "errors/s", errors_of, format_rate, kRate});
  } else {
    page.paragraph("No interval has an error.", "quiet");
  }
  add_strip(page, lines,
            {"Processor time over time",
             "Of the tool that wrote the result, in per cent of one core; a line for each run.",
             "CPU of the tool, % of one core", "% of one core", cpu_of, format_number, kCost});
}

}  // namespace wiremark::report
