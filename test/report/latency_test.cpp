// A summary of latencies, and moments as a result writes them.
#include <doctest/doctest.h>

#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "report/result.h"
#include "report/text.h"
#include "sample_result.h"

using namespace wiremark;
using namespace wiremark::measure;
using namespace wiremark::report;

TEST_CASE("what was never answered is later than any, in every percentile") {
  Histogram histogram;
  for (Nanoseconds us = 1; us <= 100; ++us) histogram.record(us * 1'000);
  const double percents[] = {25, 50, 50.5, 99, 100};
  const LatencySummary summary = summarize(histogram, "send", percents, 100);
  REQUIRE(summary.percentiles.size() == 2);
  CHECK(summary.percentiles[0].ns == histogram.percentile(50));
  CHECK(summary.percentiles[1].ns == histogram.percentile(100));
  CHECK(remade(summary).percentiles.size() == 2);
  CHECK(summary.min == 1'000);
  for (const bool known : {!!summary.max, !!summary.mean, !!summary.stddev}) CHECK_FALSE(known);
  CHECK(restore(summary).value().max() == histogram.percentile(100));
  CHECK(summarize(histogram, "send", percents, 0).percentiles.size() == 5);
  CHECK(summarize(Histogram(), "send", percents, 7).percentiles.empty());
}

TEST_CASE("a percentile of those without an answer is never, one that was left out a dash") {
  RunResult result = sample_result();
  Histogram histogram;
  for (Nanoseconds us = 1; us <= 100; ++us) histogram.record(us * 1'000);
  const double percents[] = {50, 99, 99.99};
  result.latency = summarize(histogram, "send", percents, 50);
  result.connect = summarize(histogram, "connect", percents, 0);
  Histogram many;
  many.record_many(1'000, 1'000'000);
  result.service = summarize(many, "send", percents, 0);
  result.lateness.reset();
  result.stages.reset();
  const std::string text = text_report(result);
  const auto row = [&](const std::string& percentile) {
    const std::size_t begin = text.find("\n  " + percentile + ' ') + 1;
    std::istringstream cells(text.substr(begin, text.find('\n', begin) - begin));
    return std::vector<std::string>(std::istream_iterator<std::string>(cells), {});
  };
  using Row = std::vector<std::string>;
  CHECK(row("p50") == Row{"p50", "75.0", "us", "1.00", "us", "50.0", "us"});
  CHECK(row("p99") == Row{"p99", "never", "1.00", "us", "99.0", "us"});
  CHECK(row("p99.99") == Row{"p99.99", "never", "1.00", "us", "-"});
  CHECK(row("max") == Row{"max", "never", "1.00", "us", "100", "us"});
  CHECK(row("mean") == Row{"mean", "-", "1.00", "us", "50.5", "us"});
  CHECK(row("stddev") == Row{"stddev", "-", "0", "ns", "28.9", "us"});
}

TEST_CASE("a summary gives its histogram back") {
  Histogram histogram;
  for (Nanoseconds value = 3; value < 1'000'000'000'000'000; value = value * 3 + 1)
    histogram.record(value);
  const LatencySummary summary = summarize(histogram, "send");
  CHECK(summary.from == "send");
  CHECK(summary.count == histogram.count());
  CHECK(summary.percentiles.back().ns == histogram.percentile(100));
  const Histogram again = restore(summary).value();
  CHECK(summarize(again, "").buckets == summary.buckets);
  CHECK(again.min() == histogram.min());
  CHECK(again.max() == histogram.max());
  CHECK(again.clamped() == histogram.clamped());

  LatencySummary broken = summary;
  broken.buckets.push_back({Histogram::kBuckets - 1, {1, 1}});
  CHECK_FALSE(restore(broken).has_value());
}

TEST_CASE("moments are RFC 3339, and errors are counted by kind") {
  CHECK(format_moment(std::chrono::system_clock::from_time_t(1'795'227'505)) ==
        "2026-11-21T02:18:25Z");
  KindCounts errors;
  add_count(errors, "timeout");
  add_count(errors, "reset", 2);
  add_count(errors, "timeout", 3);
  CHECK(errors == KindCounts{{"timeout", 4}, {"reset", 2}});
}
