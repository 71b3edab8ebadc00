// Studies: several runs and what they say together.
#include "report/study.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "measure/quantity.h"
#include "report/verdict.h"

namespace wiremark::report {

namespace {

std::optional<double> percentile_of(const RunResult& run, double percent) {
  const auto ns = run.latency.percentile(percent);
  return ns ? std::optional(static_cast<double>(*ns)) : std::nullopt;
}

std::vector<std::pair<double, double>> pairs_of(const Rounds& one, const Rounds& other,
                                                FigureOf figure) {
  std::vector<std::pair<double, double>> pairs;
  for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i) {
    const auto first = figure(one[i]), second = figure(other[i]);
    if (first && second) pairs.emplace_back(*first, *second);
  }
  return pairs;
}

// Why a way has no round trips to take others from; empty where each round has one.
std::string lack_of(const Way& way) {
  for (std::size_t i = 0; i < way.rounds.size(); ++i) {
    if (p50_ns_of(way.rounds[i])) continue;
    return fmt::format(
        "round {} of {} has no median round trip: half of its messages or more were never "
        "answered, or there were none",
        i + 1, way.name);
  }
  return {};
}

std::vector<double> trips_ns(const Way& way) {
  std::vector<double> trips;
  for (const RunResult& round : way.rounds) trips.push_back(p50_ns_of(round).value());
  return trips;
}

// Taken round by round: within a round the processors are equally far apart.
std::optional<measure::Spread> difference_of(const std::vector<double>& longer,
                                             const std::vector<double>& shorter) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < std::min(longer.size(), shorter.size()); ++i)
    differences.push_back(std::max(0.0, longer[i] - shorter[i]));
  return measure::spread_of(std::move(differences));
}

}  // namespace

std::optional<double> qps_of(const RunResult& run) { return run.totals.qps(); }
std::optional<double> server_cost_of(const RunResult& run) {
  return run.server_us_cpu_per_message();
}
std::optional<double> client_cost_of(const RunResult& run) { return run.us_cpu_per_message(); }
std::optional<double> p50_ns_of(const RunResult& run) { return percentile_of(run, 50); }
std::optional<double> p99_ns_of(const RunResult& run) { return percentile_of(run, 99); }
std::optional<double> kernel_pct_of(const RunResult& run) {
  if (!run.server_cpu || run.server_cpu->total_s() <= 0) return std::nullopt;
  return 100 * run.server_cpu->sys_s / run.server_cpu->total_s();
}

std::optional<measure::Spread> spread_of(const Rounds& rounds, FigureOf figure) {
  std::vector<double> figures;
  for (const RunResult& round : rounds) {
    const auto one = figure(round);
    if (!one) return std::nullopt;
    figures.push_back(*one);
  }
  return measure::spread_of(std::move(figures));
}

PooledLatency latency_of(std::span<const RunResult> rounds) {
  PooledLatency all;
  for (const RunResult& round : rounds) {
    if (const auto one = restore(round.latency)) all.histogram.merge(*one);
    all.unanswered += round.latency.unanswered.value_or(0);
  }
  return all;
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

Bypass with_parts(Bypass study, const std::vector<double>& memory_ns) {
  study.parts = {};
  study.parts.shared_memory = measure::spread_of(memory_ns);
  const std::span ways = std::span(study.ways).first(3);
  for (const Way& way : ways) {
    if (std::string lack = lack_of(way); !lack.empty()) {
      study.invalid = std::move(lack);
      return study;
    }
  }
  const auto asleep = trips_ns(ways[0]), spinning = trips_ns(ways[1]), local = trips_ns(ways[2]);
  study.parts.sleep_and_wake = difference_of(asleep, spinning);
  study.parts.tcp_and_ip = difference_of(spinning, local);
  study.parts.system_calls_and_sockets = difference_of(local, memory_ns);
  if (const auto whole = measure::spread_of(asleep))
    study.invalid = discord_of(study.parts, whole->median);
  return study;
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
                                                   FigureOf figure) {
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
