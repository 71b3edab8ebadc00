// Latency as pictures: by percentile, and over time.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "measure/histogram.h"
#include "picture/charts.h"
#include "report/html/page.h"
#include "report/result.h"

namespace wiremark::report {

/// The latency of a run, or of several together, as a picture shows it.
struct Latency {
  std::string name;
  measure::Histogram histogram;
  std::uint64_t unanswered = 0;  ///< Messages without an answer, later than any other.
  /// From this percentile on it is not to be trusted.
  std::optional<double> doubtful_from = std::nullopt;
};

/// The latency of a run, or of all rounds together.
Latency latency_of(std::string name, std::span<const RunResult> rounds);

/// A percentile as a cell of a table: "unanswered" where it is a message without an answer, "-"
/// where there is no message.
std::string percentile_cell(const Latency& latency, double percent);
/// The longest in the same form.
std::string max_cell(const Latency& latency);

/// An axis of times in ns, logarithmic, that holds all of `ns`.
picture::Axis time_axis(std::string title, const std::vector<double>& ns);

/// A time in the form for axes: "1 ms", "2.5 s".
std::string short_time(double ns);

/// Adds the picture of the percentiles of each.
void add_percentiles(Page& page, std::span<const Latency> latencies);

}  // namespace wiremark::report
