// The tables of a latency and its buckets, as documents and the CSV have them.
#pragma once

#include <optional>

#include "measure/histogram.h"
#include "report/latency_summary.h"
#include "report/shape.h"

namespace wiremark::report {

constexpr auto fields(Of<Percentile>) {
  return row_table("percentile", "Percent and nanoseconds, rounded as HdrHistogram does.",
                   field("percent", &Percentile::percent, Unit::share),
                   field("ns", &Percentile::ns, Unit::ns));
}

constexpr auto fields(Of<BucketRun>) {
  return row_table(
      "bucket_run",
      "The index of a bucket, its count, and the counts of those that follow it. Index i below "
      "2,048 holds the value i; above, with e = i / 1,024 - 1, the "
      "2^e values from (i - 1,024 e) 2^e on.",
      field("first", &BucketRun::first, Unit::count, "", {.max = measure::Histogram::kBuckets - 1}),
      field("counts", &BucketRun::counts, Unit::count, "", {.min = 1}));
}

// Percentiles that a summary shows are those asked for; the CSV has the same for every row.
template <int kHundredths>
constexpr auto percentile_column(const char* name) {
  return column(name, [](const LatencySummary& latency) -> std::optional<std::uint64_t> {
    const auto histogram = restore(latency);
    if (!histogram) return std::nullopt;
    return percentile_of(*histogram, kHundredths / 100.0, latency.unanswered);
  });
}

// Added up by its buckets, see add() of latency_summary.h.
constexpr auto fields(Of<LatencySummary>) {
  using L = LatencySummary;
  constexpr const char* kNone = "null where nothing was recorded.";
  return table("latency", "", field("count", &L::count, Unit::count),
               field("min", &L::min, Unit::ns, kNone, {.column = "ns_min", .null = true}),
               field("mean", &L::mean, Unit::ns, kNone, {.column = "ns_mean", .null = true}),
               field("max", &L::max, Unit::ns, kNone, {.column = "ns_max", .null = true}),
               field("stddev", &L::stddev, Unit::ns, kNone, {.column = "ns_stddev", .null = true}),
               field("unanswered", &L::unanswered, Unit::count,
                     "Messages without an answer, which a percentile counts as later than any; one "
                     "that falls on them is left out."),
               field("percentiles", &L::percentiles), percentile_column<5000>("ns_p50"),
               percentile_column<9000>("ns_p90"), percentile_column<9900>("ns_p99"),
               percentile_column<9990>("ns_p999"), percentile_column<9999>("ns_p9999"),
               field("from", &L::from, "Where the clock was started.", {.column = "from"}),
               field("clamped", &L::clamped, Unit::count,
                     "Values over the highest, counted as the highest.", {.most = "count"}),
               constant("histogram/layout", "hdr"), constant("histogram/lowest", 1U),
               constant("histogram/highest", measure::Histogram::kHighest),
               constant("histogram/significant_digits", measure::Histogram::kSignificantDigits),
               field("histogram/runs", &L::buckets,
                     "Every non-empty bucket, so that results can be merged without loss."));
}

}  // namespace wiremark::report
