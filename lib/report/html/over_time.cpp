// A run over time as pictures: latency, rate, errors and processor time of its intervals.
#include "report/html/over_time.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "measure/quantity.h"
#include "picture/charts.h"
#include "report/html/doubt.h"
#include "report/html/heat_maps.h"
#include "report/html/latency.h"
#include "report/html/timeline.h"
#include "report/verdict.h"

namespace wiremark::report {

using namespace measure;

namespace {

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

// For runs whose intervals have no histograms.
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

}  // namespace

void add_over_time(Page& page, std::span<const NamedRun> runs) {
  const std::vector<Timeline> lines = timelines_of(runs);
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
