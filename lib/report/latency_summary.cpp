// A latency histogram summed up for a document, with the buckets it was made of.
#include "report/latency_summary.h"

#include <algorithm>
#include <cmath>

namespace wiremark::report {

using namespace measure;

LatencySummary summarize(const Histogram& histogram, std::string from,
                         std::span<const double> percentiles,
                         std::optional<std::uint64_t> unanswered) {
  LatencySummary summary;
  summary.count = histogram.count();
  if (summary.count > 0) {
    summary.min = histogram.min();
    if (unanswered.value_or(0) == 0) {
      summary.max = histogram.max();
      summary.mean = histogram.mean();
      summary.stddev = histogram.stddev();
    }
  }
  summary.clamped = histogram.clamped();
  summary.unanswered = unanswered;
  summary.from = std::move(from);
  for (const double percent : percentiles) {
    const double beyond = static_cast<double>(summary.count) * (100 - percent) / 100;
    const bool tail = percent > 99.9 && percent < 100;
    if (tail && std::round(beyond) < static_cast<double>(kTailValuesMin)) continue;
    if (const auto ns = percentile_of(histogram, percent, unanswered))
      summary.percentiles.push_back({percent, *ns});
  }
  histogram.for_each([&](const Histogram::Bucket& bucket) {
    const bool follows =
        !summary.buckets.empty() &&
        summary.buckets.back().first + summary.buckets.back().counts.size() == bucket.index;
    if (!follows) summary.buckets.push_back({bucket.index, {}});
    summary.buckets.back().counts.push_back(bucket.count);
  });
  return summary;
}

double percent_of_answered(double percent, std::uint64_t answered,
                           std::uint64_t unanswered) noexcept {
  return percent * static_cast<double>(answered + unanswered) / static_cast<double>(answered);
}

std::optional<Nanoseconds> percentile_of(const Histogram& histogram, double percent,
                                         std::optional<std::uint64_t> unanswered) {
  if (histogram.empty()) return std::nullopt;
  const std::uint64_t missing = unanswered.value_or(0);
  if (missing == 0) return histogram.percentile(percent);
  const double of_answered = percent_of_answered(percent, histogram.count(), missing);
  if (percent >= 100 || !(of_answered <= 100)) return std::nullopt;
  return histogram.percentile(of_answered);
}

std::optional<Nanoseconds> LatencySummary::percentile(double percent) const {
  const auto histogram = restore(*this);
  return histogram ? percentile_of(*histogram, percent, unanswered) : std::nullopt;
}

Result<Histogram> restore(const LatencySummary& summary) {
  Histogram histogram;
  for (const auto& [first, counts] : summary.buckets) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (!histogram.restore(first + i, counts[i]))
        return failed("no such bucket", std::to_string(first + i), 0);
    }
  }
  histogram.restore_bounds(summary.min.value_or(0), summary.max.value_or(Histogram::kHighest),
                           summary.clamped);
  return histogram;
}

LatencySummary remade(const LatencySummary& summary) {
  const auto histogram = restore(summary);
  // Older documents say 0 where nothing was recorded, and not null.
  if (!histogram || histogram->empty()) return summary;
  std::vector<double> percents;
  for (const Percentile& percentile : summary.percentiles) percents.push_back(percentile.percent);
  return summarize(*histogram, summary.from, percents, summary.unanswered);
}

void add(LatencySummary& into, const LatencySummary& more) {
  std::vector<double> percents;
  Histogram all;
  for (const LatencySummary* latency : {&std::as_const(into), &more}) {
    // parse_document() and summarize() make no indexes but those of the layout.
    if (const auto histogram = restore(*latency)) all.merge(*histogram);
    for (const Percentile& percentile : latency->percentiles)
      percents.push_back(percentile.percent);
  }
  // A percentile that one run was too short for may be in the other, and in the whole.
  std::ranges::sort(percents);
  const auto [repeated, end] = std::ranges::unique(percents);
  percents.erase(repeated, end);
  std::optional<std::uint64_t> unanswered = into.unanswered;
  if (more.unanswered) unanswered = unanswered.value_or(0) + *more.unanswered;
  into = summarize(all, into.from, percents, unanswered);
}

}  // namespace wiremark::report
