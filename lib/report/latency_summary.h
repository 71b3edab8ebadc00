// A latency histogram summed up for a document, with the buckets it was made of.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "measure/histogram.h"

namespace wiremark::report {

/// The percentiles of a summary where nobody asked for others.
inline constexpr double kPercentiles[] = {50, 90, 99, 99.9, 99.99, 100};

/// A value of a histogram: `percent` of all values are `ns` or less.
struct Percentile {
  double percent = 0;
  Nanoseconds ns = 0;
};

/// Buckets that follow one another, none of them empty: the index of the first, and their counts.
struct BucketRun {
  std::size_t first = 0;
  std::vector<std::uint64_t> counts;

  bool operator==(const BucketRun&) const = default;
};

/// A histogram summed up, together with its buckets, so that results can be merged without loss.
struct LatencySummary {
  std::uint64_t count = 0;
  // None where nothing was recorded: no answers have no latency.
  std::optional<Nanoseconds> min;
  std::optional<Nanoseconds> max;
  std::optional<double> mean;
  std::optional<double> stddev;
  std::uint64_t clamped = 0;  ///< Values over an hour, counted as an hour.
  /// Messages without an answer; a percentile counts them as later than any that had one.
  std::optional<std::uint64_t> unanswered{};
  std::vector<Percentile> percentiles;
  std::string from;  ///< Where the clock was started: "schedule", "send", "readable", "connect".
  std::vector<BucketRun> buckets;  ///< All that are not empty, in as few runs as there can be.
};

/// Values a percentile over 99.9 must have beyond it to be worth a line.
inline constexpr std::uint64_t kTailValuesMin = 10;

/// Sums `histogram` up. 100 as a percentile is the exact maximum's bucket. One between 99.9 and 100
/// is left out while fewer than kTailValuesMin values lie beyond it, and any that falls on one of
/// the `unanswered`.
LatencySummary summarize(const measure::Histogram& histogram, std::string from,
                         std::span<const double> percentiles = kPercentiles,
                         std::optional<std::uint64_t> unanswered = std::nullopt);

/// The percentile among the answered messages that is percentile `percent` of all: over 100 where
/// that is a message without an answer.
double percent_of_answered(double percent, std::uint64_t answered,
                           std::uint64_t unanswered) noexcept;

/// The value that `percent` of all messages have or less; none where that is a message without an
/// answer, or nothing was recorded.
std::optional<Nanoseconds> percentile_of(const measure::Histogram& histogram, double percent,
                                         std::optional<std::uint64_t> unanswered);

/// The histogram a summary was made from, equal in every bucket and both extremes. Errors: an index
/// beyond the layout.
Result<measure::Histogram> restore(const LatencySummary& summary);

/// `summary` with all that follows from its buckets and extremes.
LatencySummary remade(const LatencySummary& summary);
/// Adds `more` to `into` bucket by bucket, with the percentiles that either has.
void add(LatencySummary& into, const LatencySummary& more);

}  // namespace wiremark::report
