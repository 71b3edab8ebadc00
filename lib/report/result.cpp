// The result of one run of a tool: a plain struct that every exporter reads.
#include "report/result.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace wiremark::report {

using namespace measure;

LatencySummary summarize(const Histogram& histogram, std::string from,
                         std::span<const double> percentiles,
                         std::optional<std::uint64_t> unanswered) {
  LatencySummary summary;
  summary.count = histogram.count();
  summary.min = histogram.min();
  summary.max = histogram.max();
  summary.mean = histogram.mean();
  summary.stddev = histogram.stddev();
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
    summary.buckets.emplace_back(bucket.index, bucket.count);
  });
  return summary;
}

std::optional<Nanoseconds> percentile_of(const Histogram& histogram, double percent,
                                         std::optional<std::uint64_t> unanswered) {
  const std::uint64_t missing = unanswered.value_or(0);
  if (missing == 0) return histogram.percentile(percent);
  const auto answered = static_cast<double>(histogram.count());
  const double of_answered = percent * (answered + static_cast<double>(missing)) / answered;
  if (percent >= 100 || !(of_answered <= 100)) return std::nullopt;
  return histogram.percentile(of_answered);
}

ByteSummary summarize_bytes(const Histogram& histogram) {
  return {.looks = histogram.count(),
          .mean = histogram.mean(),
          .p50 = histogram.percentile(50),
          .p99 = histogram.percentile(99),
          .max = histogram.max()};
}

Result<Histogram> restore(const LatencySummary& summary) {
  Histogram histogram;
  for (const auto& [index, count] : summary.buckets) {
    if (!histogram.restore(index, count)) return failed("no such bucket", std::to_string(index), 0);
  }
  histogram.restore_bounds(summary.min, summary.max, summary.clamped);
  return histogram;
}

LatencySummary remade(const LatencySummary& summary) {
  const auto histogram = restore(summary);
  if (!histogram) return summary;
  std::vector<double> percents;
  for (const Percentile& percentile : summary.percentiles) percents.push_back(percentile.percent);
  return summarize(*histogram, summary.from, percents, summary.unanswered);
}

Outcome remade(Outcome outcome) {
  outcome.unsent = outcome.planned - outcome.sent;
  outcome.lost = outcome.sent - outcome.answered;
  return outcome;
}

CpuShare share_of(const CpuUsage& spent, unsigned threads) {
  return {spent.user_s(), spent.sys_s(), threads};
}

MachineShare share_of(const MachineUsage& spent) {
  return {spent.busy_pct(), spent.softirq_pct(), spent.steal_pct()};
}

Packets operator-(const Packets& later, const Packets& earlier) noexcept {
  return {later.in - earlier.in, later.out - earlier.out, later.data_in - earlier.data_in,
          later.data_out - earlier.data_out};
}

std::uint64_t Totals::errors_sum() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& [kind, count] : errors) sum += count;
  return sum;
}

std::optional<double> RunResult::server_pct() const noexcept {
  if (!server_cpu) return std::nullopt;
  return server_cpu->pct(totals.seconds);
}

double RunResult::us_per_message(const CpuShare& share) const noexcept {
  return totals.messages == 0 ? 0 : 1e6 * share.total_s() / static_cast<double>(totals.messages);
}

std::optional<double> RunResult::server_us_cpu_per_message() const noexcept {
  if (!server_cpu) return std::nullopt;
  return us_per_message(*server_cpu);
}

std::string format_moment(std::chrono::system_clock::time_point moment) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(moment);
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1,
                     utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

std::chrono::system_clock::time_point parse_moment(const std::string& text) {
  std::tm utc{};
  const char* const end = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  if (!end || *end != '\0') return {};
  return std::chrono::system_clock::from_time_t(::timegm(&utc));
}

void add_error(ErrorCounts& errors, const std::string& kind, std::uint64_t count) {
  const auto known = std::ranges::find(errors, kind, &ErrorCounts::value_type::first);
  if (known == errors.end()) {
    errors.emplace_back(kind, count);
  } else {
    known->second += count;
  }
}

}  // namespace wiremark::report
