// The part of a run between two moments, from what had been counted at each of them.
#include "report/interval.h"

namespace wiremark::report {

using namespace measure;

std::vector<CoarseBucket> buckets_of(const CoarseHistogram& histogram) {
  std::vector<CoarseBucket> buckets;
  histogram.for_each(
      [&](std::size_t index, std::uint64_t count) { buckets.push_back({index, count}); });
  return buckets;
}

CoarseHistogram coarse_histogram_of(const Interval& interval) {
  CoarseHistogram histogram;
  if (!interval.buckets) return histogram;
  for (const auto& [index, count] : *interval.buckets) histogram.add(index, count);
  return histogram;
}

Interval between(const Snapshot& earlier, const Snapshot& later, Nanoseconds start) {
  Histogram latency = later.latency;
  latency.subtract(earlier.latency);
  const CpuUsage cpu = later.cpu - earlier.cpu;
  Interval interval;
  interval.start_s = static_cast<double>(earlier.at - start) / kSecond;
  interval.seconds = static_cast<double>(later.at - earlier.at) / kSecond;
  interval.connections = later.connections;
  interval.messages = later.messages - earlier.messages;
  interval.bytes_in = later.bytes_in - earlier.bytes_in;
  interval.bytes_out = later.bytes_out - earlier.bytes_out;
  interval.errors = later.errors - earlier.errors;
  if (!latency.empty()) {
    interval.p50_ns = latency.percentile(50);
    interval.p99_ns = latency.percentile(99);
    interval.p999_ns = latency.percentile(99.9);
    interval.max_ns = latency.max();
  }
  interval.oldest_ns = later.oldest;
  interval.user_s = cpu.user_s();
  interval.sys_s = cpu.sys_s();
  if (later.packets && earlier.packets) interval.packets = *later.packets - *earlier.packets;
  interval.rss_bytes = later.rss_bytes;
  interval.buckets = buckets_of(CoarseHistogram(latency));
  return interval;
}

}  // namespace wiremark::report
