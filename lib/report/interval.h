// The part of a run between two moments, from what had been counted at each of them.
#pragma once

#include <vector>

#include "measure/coarse_histogram.h"
#include "measure/cpu_usage.h"
#include "measure/histogram.h"
#include "report/result.h"

namespace wiremark::report {

/// What a tool has counted and spent since it began, up to a moment.
struct Snapshot {
  Nanoseconds at = 0;
  std::uint64_t connections = 0;  ///< Open at that moment.
  std::uint64_t messages = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t errors = 0;
  std::optional<Packets> packets;
  std::uint64_t rss_bytes = 0;
  std::optional<Nanoseconds> oldest{};  ///< How long the message waits that waits longest.
  measure::CpuUsage cpu;
  measure::Histogram latency;
};

/// The buckets of an interval as a histogram; empty where it has none.
measure::CoarseHistogram coarse_histogram_of(const Interval& interval);

/// The buckets of `histogram` that are not empty.
std::vector<CoarseBucket> buckets_of(const measure::CoarseHistogram& histogram);

/// From `earlier` to `later`, of a run that started at `start`.
Interval between(const Snapshot& earlier, const Snapshot& later, Nanoseconds start);

}  // namespace wiremark::report
