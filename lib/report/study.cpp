// Studies: several runs and what they say together.
#include "report/study.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "measure/quantity.h"
#include "report/verdict.h"

namespace wiremark::report {

namespace {

double percentile_of(const RunResult& run, double percent) {
  const auto histogram = restore(run.latency);
  return histogram ? static_cast<double>(histogram->percentile(percent)) : 0;
}

std::vector<std::pair<double, double>> pairs_of(const Rounds& one, const Rounds& other,
                                                double (*figure)(const RunResult&)) {
  std::vector<std::pair<double, double>> pairs;
  for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i)
    pairs.emplace_back(figure(one[i]), figure(other[i]));
  return pairs;
}

}  // namespace

double qps_of(const RunResult& run) { return run.totals.qps(); }
double server_cost_of(const RunResult& run) { return run.server_us_cpu_per_message().value_or(0); }
double client_cost_of(const RunResult& run) { return run.us_cpu_per_message(); }
double p50_ns_of(const RunResult& run) { return percentile_of(run, 50); }
double p99_ns_of(const RunResult& run) { return percentile_of(run, 99); }
double kernel_pct_of(const RunResult& run) {
  if (!run.server_cpu || run.server_cpu->total_s() <= 0) return 0;
  return 100 * run.server_cpu->sys_s / run.server_cpu->total_s();
}

std::optional<measure::Spread> spread_of(const Rounds& rounds, double (*figure)(const RunResult&)) {
  std::vector<double> figures;
  for (const RunResult& round : rounds) figures.push_back(figure(round));
  return measure::spread_of(std::move(figures));
}

std::size_t valid_of(const Rounds& rounds) {
  return static_cast<std::size_t>(std::ranges::count_if(
      rounds, [](const RunResult& round) { return round.verdict && round.verdict->valid(); }));
}

bool stands(const Rounds& rounds, std::string_view figure) {
  const auto valid =
      static_cast<std::size_t>(std::ranges::count_if(rounds, [figure](const RunResult& round) {
        return round.verdict && round.verdict->valid_for(figure);
      }));
  const bool median = figure == kRate || figure == kCost;
  return median ? 2 * valid > rounds.size() : valid == rounds.size();
}

std::optional<std::string> discord_of(const BypassParts& parts, double whole_ns) {
  // Each part is the median of the differences of the rounds: such medians add up only roughly.
  constexpr double kOffPctMax = 20;
  const std::pair<const std::optional<measure::Spread>&, const char*> all[] = {
      {parts.sleep_and_wake, "spinning took no less time than sleeping"},
      {parts.tcp_and_ip, "a Unix socket took no less time than TCP"},
      {parts.system_calls_and_sockets, "shared memory took no less time than a Unix socket"},
      {parts.shared_memory, "shared memory was not measured"}};
  double sum = 0;
  for (const auto& [part, why] : all) {
    if (!part || part->median <= 0)
      return fmt::format("{} in half of the rounds: the processors were not ours alone", why);
    sum += part->median;
  }
  if (100 * std::abs(sum - whole_ns) <= kOffPctMax * whole_ns) return std::nullopt;
  return fmt::format("the parts add up to {} and not to {}: the processors were not ours alone",
                     measure::format_time(sum), measure::format_time(whole_ns));
}

std::pair<Nanoseconds, Nanoseconds> distances_of(std::span<const RunResult> runs) {
  std::vector<Nanoseconds> known;
  for (const RunResult& run : runs) {
    if (!run.core_distance) continue;
    for (const Nanoseconds distance : {run.core_distance->before, run.core_distance->after})
      if (distance > 0) known.push_back(distance);
  }
  if (known.empty()) return {};
  const auto [nearest, farthest] = std::ranges::minmax(known);
  return {nearest, farthest};
}

std::optional<measure::MedianInterval> interval_of(const Rounds& one, const Rounds& base,
                                                   double (*figure)(const RunResult&)) {
  return measure::paired_ratio(pairs_of(one, base, figure));
}

Comparison remade(Comparison comparison) {
  for (Compared& one : comparison.backends) {
    const Rounds& base = comparison.backends.front().rounds;
    one.server_cpu_ratio = measure::ratio_of(pairs_of(one.rounds, base, server_cost_of));
    one.qps_ratio = measure::ratio_of(pairs_of(one.rounds, base, qps_of));
  }
  return comparison;
}

std::string in_words(const FailedRound& failed) {
  return fmt::format("round {} of {}: {}", failed.round, failed.name, failed.reason);
}

std::string failure_in_words(const BrokenRate& failed) {
  return fmt::format("the probe of {} messages/s: {}", measure::format_rate(failed.rate_hz),
                     failed.reason);
}

std::string text_report(const Experiment& study) {
  std::string text;
  for (const std::string& line : study.text) text += line + "\n";
  return text;
}

}  // namespace wiremark::report
