// What a comparison found: the rounds of each backend, as a table and as a document.
#include "netload/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/units.h"
#include "measure/quantity.h"
#include "measure/ratio.h"
#include "netload/conditions.h"
#include "netload/spread_json.h"
#include "printing.h"
#include "report/json.h"

namespace wiremark::tools {

namespace {

double qps(const report::RunResult& round) { return round.totals.qps(); }
double server_cost(const report::RunResult& round) {
  return round.server_us_cpu_per_message().value_or(0);
}
double client_cost(const report::RunResult& round) { return round.us_cpu_per_message(); }

// Percentiles of all rounds together: their histograms are added, never their percentiles averaged.
report::LatencySummary latency_of(const Contender& contender) {
  measure::Histogram all;
  for (const report::RunResult& round : contender.rounds) {
    if (const auto one = report::restore(round.latency)) all.merge(*one);
  }
  return report::summarize(all, contender.rounds.front().latency.from);
}

Nanoseconds percentile(const report::LatencySummary& latency, double percent) {
  for (const auto& [at, ns] : latency.percentiles) {
    if (at == percent) return ns;
  }
  return latency.max;
}

std::string spread_text(const std::optional<measure::Spread>& spread, int digits) {
  if (!spread) return "n/a";
  return fmt::format("{:.{}f} ({:.{}f} to {:.{}f})", spread->median, digits, spread->min, digits,
                     spread->max, digits);
}

std::optional<measure::Spread> ratio(const Contender& one, const Contender& other,
                                     double (*figure)(const report::RunResult&)) {
  std::vector<std::pair<double, double>> pairs;
  for (std::size_t i = 0; i < std::min(one.rounds.size(), other.rounds.size()); ++i) {
    pairs.emplace_back(figure(one.rounds[i]), figure(other.rounds[i]));
  }
  return measure::ratio_of(pairs);
}

std::size_t valid_rounds(const Contender& contender) {
  return static_cast<std::size_t>(std::ranges::count_if(
      contender.rounds, [](const report::RunResult& round) { return round.verdict->valid(); }));
}

// "VALID", or how many rounds are not; the reasons stand below the table.
std::string verdict_text(const Contender& contender) {
  const std::size_t rounds = contender.rounds.size();
  const std::size_t valid = valid_rounds(contender);
  return valid == rounds ? "VALID" : fmt::format("INVALID {}/{}", rounds - valid, rounds);
}

void print_table(const LoadOptions& options, const std::vector<Contender>& contenders) {
  const bool open_loop = options.rate_hz + options.total_rate_hz > 0;
  const std::string length =
      options.time.duration > 0
          ? format_duration(options.time.duration)
          : measure::format_counted(static_cast<std::uint64_t>(options.requests), "message");
  const std::string what = load::in_words(options.exchange);
  print_out("{}, {}, {}, {} of {} each in turn, every reply {}\n\n",
            measure::format_counted(options.connections, "connection"), what,
            open_loop ? "open loop" : "closed loop",
            measure::format_counted(contenders.front().rounds.size(), "round"), length,
            options.no_verify ? "counted" : "verified");
  constexpr auto kRow = "  {:<7} {:<11} {:>7} {:>8} {:>8} {:>8}  {:<20} {}\n";
  print_out(kRow, "", "", "", "", "", "", "server CPU", "client CPU");
  print_out(kRow, "backend", "rounds", "qps", "p50", "p99", "p99.9", "us/message", "us/message");
  for (const Contender& contender : contenders) {
    const auto latency = latency_of(contender);
    const auto rate = measure::spread_of(contender.each(qps));
    print_out(kRow, contender.name, verdict_text(contender),
              rate ? measure::format_rate(rate->median) : "n/a",
              measure::format_time(percentile(latency, 50)),
              measure::format_time(percentile(latency, 99)),
              measure::format_time(percentile(latency, 99.9)),
              spread_text(measure::spread_of(contender.each(server_cost)), 2),
              spread_text(measure::spread_of(contender.each(client_cost)), 2));
  }
  for (std::size_t i = 1; i < contenders.size(); ++i) {
    print_out(
        "\n  {} against {}, round by round:\n    server CPU per message x {}\n    qps              "
        "      x {}\n",
        contenders[i].name, contenders[0].name,
        spread_text(ratio(contenders[i], contenders[0], server_cost), 3),
        spread_text(ratio(contenders[i], contenders[0], qps), 3));
  }
}

}  // namespace

void print_comparison(const LoadOptions& options, const std::vector<Contender>& contenders,
                      unsigned left_out) {
  print_table(options, contenders);
  print_conditions(contenders, left_out);
}

std::string comparison_document(const std::vector<Contender>& contenders, unsigned left_out) {
  nlohmann::ordered_json all;
  all["schema"] = "wiremark.comparison/1";
  all["rounds_left_out"] = left_out;
  for (const Contender& contender : contenders) {
    nlohmann::ordered_json one;
    one["backend"] = contender.name;
    one["valid_rounds"] = valid_rounds(contender);
    one["qps"] = json_of(measure::spread_of(contender.each(qps)));
    one["server_us_cpu_per_message"] = json_of(measure::spread_of(contender.each(server_cost)));
    one["us_cpu_per_message"] = json_of(measure::spread_of(contender.each(client_cost)));
    one["server_cpu_ratio"] = json_of(ratio(contender, contenders.front(), server_cost));
    one["qps_ratio"] = json_of(ratio(contender, contenders.front(), qps));
    for (const report::RunResult& round : contender.rounds) {
      one["rounds"].push_back(nlohmann::ordered_json::parse(report::json_document(round)));
    }
    all["backends"].push_back(std::move(one));
  }
  return all.dump(1) + '\n';
}

}  // namespace wiremark::tools
