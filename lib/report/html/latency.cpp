// Latency as pictures: by percentile, and over time.
#include "report/html/latency.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "measure/quantity.h"
#include "report/html/doubt.h"
#include "report/study.h"

namespace wiremark::report {

using namespace measure;

namespace {

// Steps of a curve, about as many as a screen has columns for it.
constexpr int kSteps = 600;

double percent_at(double nines) { return 100 * (1 - std::pow(10, -nines)); }

// Where the highest of `count` values stands on an axis of nines (3 is 99.9 %). 100 % has no place
// on it, so half a value is taken to lie beyond.
double last_nine_of(double count) { return std::log10(2 * std::max(count, 1.0)); }

double messages_of(const Latency& latency) {
  return static_cast<double>(latency.histogram.count() + latency.unanswered);
}

picture::Curve curve_of(const Latency& latency, std::size_t colour) {
  picture::Curve curve{latency.name, colour, {}, std::nullopt, latency.doubtful_from};
  const double count = messages_of(latency);
  const double answered = static_cast<double>(latency.histogram.count());
  const double end = last_nine_of(count);
  std::vector<picture::Point>& points = curve.points;
  std::vector<std::pair<double, double>>
      ranks;  // The rank of the last value of each bucket, and its highest value.
  double below = 0;
  latency.histogram.for_each([&](const Histogram::Bucket& bucket) {
    below += static_cast<double>(bucket.count);
    ranks.emplace_back(below,
                       static_cast<double>(std::min(bucket.highest, latency.histogram.max())));
  });
  auto at = ranks.begin();
  for (int step = 0; step <= kSteps && at != ranks.end(); ++step) {
    const double percent = percent_at(end * step / kSteps);
    const double rank = std::max(1.0, std::round(percent / 100 * count));
    if (rank > answered) break;
    while (at->first < rank) ++at;
    // Of several points of the same height only the ends are drawn.
    if (points.size() > 1 && points.back().y == at->second &&
        points[points.size() - 2].y == at->second)
      points.back().x = percent;
    else
      points.push_back({percent, at->second});
  }
  if (count > 0) curve.weak_from = 100 * (1 - std::min(1.0, 10 / count));
  return curve;
}

std::string without_time(const Latency& latency) {
  return latency.unanswered > 0 ? "unanswered" : "-";
}

HtmlTable table_of(std::span<const Latency> latencies) {
  HtmlTable table{{"percentile"}, {}};
  for (const Latency& latency : latencies) table.head.push_back(latency.name);
  for (const double percent : {0.0, 10.0, 25.0, 50.0, 75.0, 90.0, 99.0, 99.9, 99.99, 99.999}) {
    std::vector<std::string> row{fmt::format("{}", percent)};
    for (const Latency& latency : latencies) row.push_back(percentile_cell(latency, percent));
    table.rows.push_back(std::move(row));
  }
  table.rows.push_back({"max"});
  for (const Latency& latency : latencies) table.rows.back().push_back(max_cell(latency));
  table.rows.push_back({"messages"});
  for (const Latency& latency : latencies)
    table.rows.back().push_back(format_count(latency.histogram.count() + latency.unanswered));
  return table;
}

std::string note_of(std::span<const Latency> latencies) {
  std::string note = "Dotted: fewer than 10 values lie beyond.";
  if (std::ranges::any_of(latencies, [](const auto& each) { return !!each.doubtful_from; }))
    note += " Hollow: not to be trusted, as the verdict says.";
  for (const Latency& latency : latencies) {
    if (latency.unanswered > 0) {
      note += fmt::format(" {}: {} without an answer, later than any; the line ends there.",
                          latency.name, format_counted(latency.unanswered, "message"));
    }
  }
  return note;
}

}  // namespace

Latency latency_of(std::string name, std::span<const RunResult> rounds) {
  PooledLatency all = latency_of(rounds);
  return {std::move(name), std::move(all.histogram), all.unanswered, doubtful_from(rounds)};
}

std::string percentile_cell(const Latency& latency, double percent) {
  const auto ns = percentile_of(latency.histogram, percent, latency.unanswered);
  return ns ? format_time(*ns) : without_time(latency);
}

std::string max_cell(const Latency& latency) {
  const bool known = latency.unanswered == 0 && !latency.histogram.empty();
  return known ? format_time(latency.histogram.max()) : without_time(latency);
}

std::string short_time(double ns) { return picture::without_zeros(format_time(ns)); }

picture::Axis time_axis(std::string title, const std::vector<double>& ns) {
  picture::Axis axis;
  axis.title = std::move(title);
  axis.label = short_time;
  return picture::around(std::move(axis), ns);
}

void add_percentiles(Page& page, std::span<const Latency> latencies) {
  picture::Curves chart;
  std::vector<double> extremes;
  double end = 0;
  for (const Latency& latency : latencies) {
    if (latency.histogram.empty()) continue;
    chart.curves.push_back(curve_of(latency, static_cast<std::size_t>(&latency - &latencies[0])));
    for (const auto& point : chart.curves.back().points) extremes.push_back(point.y);
    end = std::max(end, last_nine_of(messages_of(latency)));
  }
  if (chart.curves.empty()) return;
  chart.caption = {"Latency by percentile",
                   "A line for each run: the share of messages that took as long or less runs to "
                   "the right, each 9 as wide as the one before, and the time upwards on a "
                   "logarithmic axis."};
  chart.x = {"per cent of the messages", picture::Spacing::nines, 0, percent_at(end),
             [](double percent) { return fmt::format("{:.7g}", percent); }};
  chart.y = time_axis("latency (logarithmic)", extremes);
  page.figure(draw(chart), note_of(latencies), table_of(latencies));
}

}  // namespace wiremark::report
