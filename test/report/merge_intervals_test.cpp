// Intervals of several runs: added to the resolution of their buckets, or one behind the other.
#include "report/merge_intervals.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "report/interval.h"
#include "report/json.h"
#include "sample_result.h"

using namespace wiremark;
using namespace wiremark::measure;
using namespace wiremark::report;

namespace {

Interval interval_of(double start_s, const Histogram& latency) {
  Interval interval = sample_result().intervals.front();
  interval.start_s = start_s;
  interval.messages = latency.count();
  interval.p50_ns = latency.percentile(50);
  interval.p99_ns = latency.percentile(99);
  interval.p999_ns = latency.percentile(99.9);
  interval.max_ns = latency.max();
  interval.buckets = buckets_of(CoarseHistogram(latency));
  return interval;
}

Histogram values(Nanoseconds from, Nanoseconds to, Nanoseconds step) {
  Histogram histogram;
  for (Nanoseconds value = from; value < to; value += step) histogram.record(value);
  return histogram;
}

RunResult run_of(std::vector<Interval> intervals) {
  RunResult run = sample_result();
  run.intervals = std::move(intervals);
  run.totals.seconds = static_cast<double>(run.intervals.size());
  return run;
}

}  // namespace

TEST_CASE("an interval has the buckets of what was counted in it") {
  Snapshot earlier;
  earlier.latency = values(100, 1'000, 1);
  Snapshot later = earlier;
  later.latency.merge(values(50'000, 60'000, 10));
  const Interval interval = between(earlier, later, 0);
  REQUIRE(interval.buckets);
  CHECK(coarse_histogram_of(interval).count() == 1'000);
  CHECK(interval.buckets->front().index == CoarseHistogram::index_of(50'000));
  CHECK(interval.buckets->back().index == CoarseHistogram::index_of(59'990));
}

TEST_CASE("at once they are added bucket by bucket") {
  const Histogram one = values(10'000, 20'000, 3);
  const Histogram other = values(15'000, 90'000, 7);
  Histogram both = one;
  both.merge(other);
  const RunResult runs[] = {run_of({interval_of(0, one), interval_of(1, one)}),
                            run_of({interval_of(0.001, other), interval_of(1.002, other)})};
  const auto all = intervals_of(runs, Order::at_once);
  REQUIRE(all.size() == 2);
  const Interval& sum = all[1];
  CHECK(sum.start_s == 1);
  CHECK(sum.messages == both.count());
  CHECK(sum.connections == 200);
  CHECK(sum.packets->in == 78'000);
  CHECK(sum.max_ns == both.max());
  CHECK(coarse_histogram_of(sum).count() == both.count());
  for (const auto& [percent, ns] :
       {std::pair(50.0, sum.p50_ns.value()), {99.0, sum.p99_ns.value()}}) {
    const auto exact = static_cast<double>(both.percentile(percent));
    CHECK(static_cast<double>(ns) >= exact);
    CHECK(static_cast<double>(ns) <= exact * 1.125);
  }
}

TEST_CASE("where they do not lie at the same times there are none") {
  const Interval one = interval_of(0, values(10, 20, 1));
  Interval later = one;
  later.start_s = 0.5;
  Interval without = one;
  without.buckets.reset();
  for (const Interval& other : {later, without}) {
    const RunResult runs[] = {run_of({one}), run_of({other})};
    CHECK(intervals_of(runs, Order::at_once).empty());
  }
  const RunResult runs[] = {run_of({one}), run_of({})};
  CHECK(intervals_of(runs, Order::at_once).empty());
  CHECK(intervals_of(runs, Order::in_turn).empty());
}

TEST_CASE("a run that lasts longer goes on alone") {
  const Interval one = interval_of(0, values(10, 20, 1));
  const Interval next = interval_of(1, values(10, 20, 1));
  const RunResult runs[] = {run_of({one}), run_of({one, next})};
  const auto all = intervals_of(runs, Order::at_once);
  REQUIRE(all.size() == 2);
  CHECK(all[0].messages == 20);
  CHECK(all[1].messages == 10);
}

TEST_CASE("in turn they follow one another, whatever they have") {
  Interval one = interval_of(0, values(10, 20, 1));
  one.buckets.reset();
  const RunResult runs[] = {run_of({one}), run_of({one, interval_of(1, values(10, 20, 1))})};
  const auto all = intervals_of(runs, Order::in_turn);
  REQUIRE(all.size() == 3);
  CHECK(all[1].start_s == 1);
  CHECK(all[2].start_s == 2);
}

// From 20 us to 1 s, as wide as a run's latencies get: the buckets of a minute.
TEST_CASE("the intervals of a minute fit") {
  constexpr int kPerSecond = 10'000;
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> latency(std::log(300'000), 1.5);
  RunResult run = sample_result();
  run.intervals.clear();
  for (int second = 0; second < 60; ++second) {
    Histogram histogram;
    for (int i = 0; i < kPerSecond; ++i)
      histogram.record(static_cast<Nanoseconds>(latency(random)));
    run.intervals.push_back(interval_of(second, histogram));
  }
  // The whole run, with all four histograms of a rate.
  Histogram all;
  for (int i = 0; i < 60 * kPerSecond; ++i) all.record(static_cast<Nanoseconds>(latency(random)));
  run.latency = run.least.emplace() = run.service.emplace() = run.lateness.emplace() =
      summarize(all, "schedule");
  const std::string document = json_document(run);
  run.intervals.clear();
  const std::size_t size = document.size() - json_document(run).size();
  MESSAGE("bytes of 60 intervals: ", size, ", of the document: ", document.size());
  CHECK(size < 100'000);
  CHECK(document.size() < 300'000);
}
