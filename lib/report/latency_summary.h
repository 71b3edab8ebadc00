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
#include "report/fields.h"

namespace wiremark::report {

/// The percentiles of a summary where nobody asked for others.
inline constexpr double kPercentiles[] = {50, 90, 99, 99.9, 99.99, 100};

/// A value of a histogram: `percent` of all values are `ns` or less.
struct Percentile {
  double percent = 0;
  Nanoseconds ns = 0;

  void fields(auto& f) {
    f.row("percentile", "Percent and nanoseconds, rounded as HdrHistogram does.");
    f("percent", percent, Unit::share);
    f("ns", ns, Unit::ns);
  }
};

/// Buckets that follow one another, none of them empty: the index of the first, and their counts.
struct BucketRun {
  std::size_t first = 0;
  std::vector<std::uint64_t> counts;

  bool operator==(const BucketRun&) const = default;

  void fields(auto& f) {
    f.row("bucket_run",
          "The index of a bucket, its count, and the counts of those that follow it. Index i below "
          "2,048 holds the value i; above, with e = i / 1,024 - 1, the 2^e values from (i - 1,024 "
          "e) 2^e on.");
    f("first", first, Unit::count, "", {.max = measure::Histogram::kBuckets - 1});
    f("counts", counts, Unit::count, "", {.min = 1});
  }
};

/// A histogram summed up, together with its buckets, so that results can be merged without loss.
struct LatencySummary {
  std::uint64_t count = 0;
  // None where nothing was recorded: no answers have no latency. And of all messages there is no
  // mean and no longest where one was never answered.
  std::optional<Nanoseconds> min;
  std::optional<Nanoseconds> max;
  std::optional<double> mean;
  std::optional<double> stddev;
  std::uint64_t clamped = 0;
  std::optional<std::uint64_t> unanswered{};
  std::vector<Percentile> percentiles;
  std::string from;  ///< "schedule", "send", "readable", "connect".
  std::vector<BucketRun> buckets;

  /// Of all messages; none where nothing was recorded, and where it is one without an answer.
  std::optional<Nanoseconds> percentile(double percent) const;

  // Percentiles that a summary shows are those asked for; the CSV has the same for every row. It is
  // added up by its buckets, see add().
  void fields(auto& f) {
    f.table("latency", "");
    f("count", count, Unit::count);
    f("min", min, Unit::ns, "null where nothing was recorded.", {.column = "ns_min", .null = true});
    f("mean", mean, Unit::ns,
      "null where nothing was recorded, or a message was not answered, as the next two.",
      {.column = "ns_mean", .null = true});
    f("max", max, Unit::ns, "", {.column = "ns_max", .null = true});
    f("stddev", stddev, Unit::ns, "", {.column = "ns_stddev", .null = true});
    f("unanswered", unanswered, Unit::count,
      "Messages without an answer, which a percentile counts as later than any; one that falls on "
      "them is left out.");
    f("percentiles", percentiles);
    f.column("ns_p50", [](const LatencySummary& of) { return of.percentile(50); });
    f.column("ns_p90", [](const LatencySummary& of) { return of.percentile(90); });
    f.column("ns_p99", [](const LatencySummary& of) { return of.percentile(99); });
    f.column("ns_p999", [](const LatencySummary& of) { return of.percentile(99.9); });
    f.column("ns_p9999", [](const LatencySummary& of) { return of.percentile(99.99); });
    f("from", from, "Where the clock was started.", {.column = "from"});
    f("clamped", clamped, Unit::count, "Values over the highest, counted as the highest.",
      {.most = "count"});
    f.constant("histogram/layout", "hdr");
    f.constant("histogram/lowest", 1U);
    f.constant("histogram/highest", measure::Histogram::kHighest);
    f.constant("histogram/significant_digits", measure::Histogram::kSignificantDigits);
    f("histogram/runs", buckets,
      "Every non-empty bucket, so that results can be merged without loss.");
  }
};

/// Values a percentile over 99.9 must have beyond it to be worth a line.
inline constexpr std::uint64_t kTailValuesMin = 10;

/// Sums `histogram` up. 100 as a percentile is the exact maximum's bucket. One between 99.9 and 100
/// is left out while fewer than kTailValuesMin values lie beyond it, and any that falls on one of
/// the `unanswered`, with which there is no mean, deviation or maximum.
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

/// The histogram a summary was made from, equal in every bucket and both extremes; without a
/// maximum in the summary it is the highest of the last bucket. Errors: an index beyond the layout.
Result<measure::Histogram> restore(const LatencySummary& summary);

/// `summary` with all that follows from its buckets and extremes.
LatencySummary remade(const LatencySummary& summary);
/// Adds `more` to `into` bucket by bucket, with the percentiles that either has.
void add(LatencySummary& into, const LatencySummary& more);

}  // namespace wiremark::report
