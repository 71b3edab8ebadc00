// The intervals of several runs as those of the whole.
#include "report/merge_intervals.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "report/adding.h"
#include "report/interval.h"

namespace wiremark::report {

using namespace measure;

namespace {

// Whether both are the same part of runs that began together: a line is up to a turn late.
bool line_up(const Interval& one, const Interval& other) {
  const double slack_s = 0.1 * std::max(one.seconds, other.seconds);
  return std::fabs(one.start_s - other.start_s) <= slack_s &&
         std::fabs(one.seconds - other.seconds) <= slack_s;
}

// Their buckets and percentiles are those of both together; the rest is as the table says.
void join(Interval& into, const Interval& more) {
  CoarseHistogram latency = coarse_histogram_of(into);
  for (const auto& [index, count] : *more.buckets) latency.add(index, count);
  add_fields(into, more, {});
  into.buckets = buckets_of(latency);
  if (!into.max_ns) return;
  into.p50_ns = std::min(latency.percentile(50), *into.max_ns);
  into.p99_ns = std::min(latency.percentile(99), *into.max_ns);
  into.p999_ns = std::min(latency.percentile(99.9), *into.max_ns);
}

std::vector<Interval> in_turn(std::span<const RunResult> runs) {
  std::vector<Interval> all;
  double start_s = 0;
  for (const RunResult& run : runs) {
    double end_s = start_s + run.totals.seconds;
    for (Interval interval : run.intervals) {
      interval.start_s += start_s;
      end_s = std::max(end_s, interval.start_s + interval.seconds);
      all.push_back(std::move(interval));
    }
    start_s = end_s;
  }
  return all;
}

std::vector<Interval> at_once(std::span<const RunResult> runs) {
  std::vector<Interval> all;
  for (const RunResult& run : runs) {
    for (std::size_t i = 0; i < run.intervals.size(); ++i) {
      const Interval& more = run.intervals[i];
      if (!more.buckets) return {};
      if (i == all.size())
        all.push_back(more);
      else if (line_up(all[i], more))
        join(all[i], more);
      else
        return {};
    }
  }
  return all;
}

}  // namespace

std::vector<Interval> intervals_of(std::span<const RunResult> runs, Order order) {
  for (const RunResult& run : runs)
    if (run.intervals.empty()) return {};
  return order == Order::in_turn ? in_turn(runs) : at_once(runs);
}

}  // namespace wiremark::report
