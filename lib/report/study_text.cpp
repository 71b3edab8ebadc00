// Studies as a person reads them.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "measure/conclusion.h"
#include "measure/quantity.h"
#include "report/ratio_bar.h"
#include "report/study.h"
#include "report/study_conditions.h"
#include "report/text.h"
#include "report/verdict.h"

namespace wiremark::report {

using namespace measure;

namespace {

std::string about_text(const Setting& setting) {
  return setting.about ? *setting.about + "\n\n" : std::string();
}

std::string spread_text(const std::optional<Spread>& spread, int digits) {
  if (!spread) return "n/a";
  return fmt::format("{:.{}f} ({:.{}f} to {:.{}f})", spread->median, digits, spread->min, digits,
                     spread->max, digits);
}

std::string time_text(const std::optional<Spread>& ns) {
  if (!ns) return "n/a";
  return fmt::format("{} ({} to {})", format_time(ns->median), format_time(ns->min),
                     format_time(ns->max));
}

double median_of(const std::optional<Spread>& spread) { return spread ? spread->median : 0; }

// Percentiles of all rounds together: their histograms are added, never their percentiles averaged.
Histogram latency_of(const Rounds& rounds) {
  Histogram all;
  for (const RunResult& round : rounds) {
    if (const auto one = restore(round.latency)) all.merge(*one);
  }
  return all;
}

// A figure that is not to be trusted has a mark.
std::string marked(std::string text, const Rounds& rounds, std::string_view figure) {
  return stands(rounds, figure) ? text : text + "?";
}

constexpr std::string_view kTableFigures[] = {kRate, "p50", "p99", "p99.9", kCost};

std::string_view level_of(const Rounds& rounds) {
  const auto valid = std::ranges::count_if(
      kTableFigures, [&](std::string_view figure) { return stands(rounds, figure); });
  if (valid == std::ssize(kTableFigures)) return "VALID";
  return valid > 0 ? "VALID FOR" : "INVALID";
}

std::string row_text(const Compared& one, std::size_t width) {
  const Rounds& rounds = one.rounds;
  const Histogram latency = latency_of(rounds);
  const auto percentile = [&](double percent) {
    return marked(format_time(latency.percentile(percent)), rounds, percentile_name(percent));
  };
  const auto cost = [&](double (*figure)(const RunResult&)) {
    return marked(spread_text(spread_of(rounds, figure), 2), rounds, kCost);
  };
  return fmt::format(
      "  {:<{}} {:<11} {:>7} {:>8} {:>8} {:>8}  {:<20} {}\n", one.backend, width, level_of(rounds),
      marked(format_rate(median_of(spread_of(rounds, qps_of))), rounds, kRate), percentile(50),
      percentile(99), percentile(99.9), cost(server_cost_of), cost(client_cost_of));
}

constexpr const char* kMarkText =
    "  ?          behind a figure: not to be trusted, for the reasons below\n";

struct Ratio {
  const char* words;
  std::string_view figure;
  double (*of)(const RunResult&);
};
constexpr Ratio kRatios[] = {{"server CPU per message", kCost, server_cost_of},
                             {"qps", kRate, qps_of}};

// The ratios of all but the first, with bars on one axis.
std::string ratios_text(const Comparison& study, Letters letters) {
  const Compared& base = study.backends.front();
  double reach = 1;
  for (const Compared& one : study.backends) {
    for (const Ratio& ratio : kRatios) {
      if (const auto interval = interval_of(one.rounds, base.rounds, ratio.of))
        reach = std::max(reach, axis_reach(*interval));
    }
  }
  std::string text;
  for (std::size_t i = 1; i < study.backends.size(); ++i) {
    const Compared& one = study.backends[i];
    text += fmt::format("\n  {} against {}, round by round:\n", one.backend, base.backend);
    for (const Ratio& ratio : kRatios) {
      const auto interval = interval_of(one.rounds, base.rounds, ratio.of);
      const bool base_stands = stands(base.rounds, ratio.figure);
      const std::string figures =
          marked(interval ? fmt::format("{:.3f} ({:.3f} to {:.3f})", interval->median,
                                        interval->lower, interval->upper)
                          : "n/a",
                 base_stands ? one.rounds : base.rounds, ratio.figure);
      const std::string bar = interval ? ratio_bar(*interval, reach, letters) : "";
      text +=
          fmt::format("    {:<22} x {:<{}}{}\n", ratio.words, figures, bar.empty() ? 0 : 26, bar);
    }
  }
  return text;
}

// Of UDP alone, where nothing else tells of a message that did not come.
std::string lost_text(const Way& way) {
  std::uint64_t lost = 0;
  bool udp = false;
  for (const RunResult& round : way.rounds) {
    udp = udp || round.delivery.has_value();
    if (round.outcome) lost += round.outcome->lost;
  }
  return udp ? fmt::format(", {} lost", format_count(lost)) : "";
}

std::string ways_text(const Bypass& study) {
  constexpr auto kRow = "  {:<24} {:<32} {}\n";
  std::string text = fmt::format(kRow, "", "", "CPU us/message") +
                     fmt::format(kRow, "way", "p50 there and back", "server + client");
  for (std::size_t i = 0; i + 1 < study.ways.size(); ++i) {  // The last is the load.
    const Way& way = study.ways[i];
    const std::string cost =
        fmt::format("{:.2f} + {:.2f}", median_of(spread_of(way.rounds, server_cost_of)),
                    median_of(spread_of(way.rounds, client_cost_of)));
    text += fmt::format(kRow, way.name,
                        marked(time_text(spread_of(way.rounds, p50_ns_of)), way.rounds, "p50"),
                        marked(cost, way.rounds, kCost) + lost_text(way));
  }
  const auto& memory = study.parts.shared_memory;
  const double memory_us = median_of(memory) / kMicrosecond;
  return text + fmt::format(kRow, "shared memory, spinning", time_text(memory),
                            fmt::format("{:.2f} + {:.2f}", memory_us, memory_us));
}

std::string parts_text(const Bypass& study) {
  constexpr auto kRow = "    {:<30} {}\n";
  const BypassParts& parts = study.parts;
  if (study.invalid) return fmt::format("\n  INVALID    {}\n", *study.invalid);
  return fmt::format("\n  of the {} with both ends asleep in between\n",
                     format_time(median_of(spread_of(study.ways.front().rounds, p50_ns_of)))) +
         fmt::format(kRow, time_text(parts.sleep_and_wake),
                     "falling asleep and waking up: --wait spin saves that,") +
         fmt::format(kRow, "", "without a bypass, for a processor at each end") +
         fmt::format(kRow, time_text(parts.tcp_and_ip),
                     "TCP and IP: a bypass brings a stack of its own for it") +
         fmt::format(kRow, time_text(parts.system_calls_and_sockets),
                     "system calls and sockets: a bypass saves that") +
         fmt::format(kRow, time_text(parts.shared_memory),
                     "copies and the way between the processors: nothing does");
}

// Of both ends; 0 where one is unknown.
double costs_of(const RunResult& run) {
  const double server = server_cost_of(run);
  return server > 0 ? server + client_cost_of(run) : 0;
}

// What one took of the other, round by round.
std::string part_text(const Rounds& one, const Rounds& other, std::string_view figure,
                      double (*of)(const RunResult&)) {
  const auto ratio = interval_of(one, other, of);
  if (!ratio) return "an unknown part";
  const std::string text =
      fmt::format("{:.2f} ({:.2f} to {:.2f}{})", ratio->median, ratio->lower, ratio->upper,
                  ratio->confidence < kConfidence ? ", in too few rounds" : "");
  return marked(text, stands(other, figure) ? one : other, figure);
}

std::string load_text(const Way& load) {
  const double kernel = median_of(spread_of(load.rounds, kernel_pct_of));
  return fmt::format(
      "\n  under load, {} in a closed loop\n"
      "    {:.2f} us of the server's processor time per message, {} of it in the kernel:\n"
      "    a bypass saves that part at most, less what its own stack takes\n",
      format_counted(load.connections, "connection"),
      median_of(spread_of(load.rounds, server_cost_of)),
      kernel > 99 ? "over 99 %" : fmt::format("{:.0f} %", kernel));
}

std::string conclusion_text(const Compared& one, const Compared& base) {
  for (const Ratio& ratio : kRatios) {
    const auto interval = interval_of(one.rounds, base.rounds, ratio.of);
    if (!interval) continue;
    for (const Compared* of : {&base, &one}) {
      if (!stands(of->rounds, ratio.figure))
        return fmt::format(
            "cannot tell {} and {} apart: {} of {} is not to be trusted in half of "
            "the rounds; a quieter machine or another load might",
            one.backend, base.backend, ratio.words, of->backend);
    }
    return conclusion(*interval, one.backend, base.backend, ratio.words);
  }
  return fmt::format("cannot tell {} and {} apart: no round has messages of both", one.backend,
                     base.backend);
}

}  // namespace

std::string text_report(const Comparison& study, Letters letters) {
  constexpr auto kRow = "  {:<{}} {:<11} {:>7} {:>8} {:>8} {:>8}  {:<20} {}\n";
  std::size_t width = std::string_view("backend").size();
  bool targets = false;  // Servers that the user named, HOST:PORT, instead of backends.
  for (const Compared& one : study.backends) {
    width = std::max(width, one.backend.size());
    targets = targets || one.backend.find(':') != std::string::npos;
  }
  std::string text = about_text(study.setting);
  text += fmt::format(kRow, "", width, "", "", "", "", "", "server CPU", "client CPU");
  text += fmt::format(kRow, targets ? "target" : "backend", width, "verdict", "qps", "p50", "p99",
                      "p99.9", "us/message", "us/message");
  Parts parts;
  for (const Compared& one : study.backends) {
    text += row_text(one, width);
    parts.push_back({one.backend, one.rounds});
  }
  text += ratios_text(study, letters);
  if (text.find('?') != std::string::npos) text += std::string("\n") + kMarkText;
  text += conditions_text(study.setting, parts, study.rounds_left_out);
  const char* label = "conclusion";
  for (const std::string& sentence : conclusions_of(study))
    text += fmt::format("  {:<10} {}\n", std::exchange(label, ""), sentence);
  return text;
}

std::string bought_text(const Bypass& study) {
  if (study.not_tried) return "not tried past the kernel: " + *study.not_tried;
  const auto rounds_of = [&](std::string_view name) -> const Rounds* {
    for (const Way& way : study.ways)
      if (way.name == name) return &way.rounds;
    return nullptr;
  };
  const Rounds *xdp = rounds_of(kXdpSpinning), *udp = rounds_of(kUdpSpinning);
  const Rounds *xdp_flows = rounds_of(kXdpFlows), *udp_flows = rounds_of(kUdpFlows);
  if (!xdp || !udp || !xdp_flows || !udp_flows) return {};
  return fmt::format(
      "AF_XDP takes {} of the kernel's round trip where both spin, and {} of its processor time "
      "for "
      "64 flows; it costs three capabilities, an interface without another such program, and what "
      "the kernel would have queued",
      part_text(*xdp, *udp, "p50", p50_ns_of), part_text(*xdp_flows, *udp_flows, kCost, costs_of));
}

std::vector<std::string> conclusions_of(const Comparison& study) {
  std::vector<std::string> sentences;
  for (std::size_t i = 1; i < study.backends.size(); ++i)
    sentences.push_back(conclusion_text(study.backends[i], study.backends.front()));
  return sentences;
}

std::string text_report(const Bypass& study) {
  Parts parts;
  for (const Way& way : study.ways) parts.push_back({way.name, way.rounds});
  const std::string ways = ways_text(study);
  std::string bought = bought_text(study);
  const bool marks = (ways + bought).find('?') != std::string::npos;
  const std::string mark = marks ? std::string("\n") + kMarkText : "";
  if (!bought.empty()) bought = fmt::format("\n  {:<10} {}\n", "bypass", bought);
  return about_text(study.setting) + ways + parts_text(study) + load_text(study.ways.back()) +
         bought + mark + conditions_text(study.setting, parts, study.rounds_left_out);
}

std::string probe_line(std::size_t number, const Probe& probe) {
  constexpr auto kRow = "  {:>5}  {:>9}  {:>9}  {:>9}  {:>7}  {:<9}  {}\n";
  const RunResult& run = probe.result;
  const double planned = run.outcome ? static_cast<double>(run.outcome->planned) : 0;
  const double behind = run.pacing ? static_cast<double>(run.pacing->behind) : 0;
  std::string text;
  if (number == 1)
    text = fmt::format(kRow, "probe", "asked", "reached", "p99", "behind", "verdict", "objectives");
  return text + fmt::format(kRow, number, format_rate(probe.rate_hz), format_rate(qps_of(run)),
                            format_time(p99_ns_of(run)),
                            format_share(planned > 0 ? 100 * behind / planned : 0),
                            run.verdict ? run.verdict->level() : "-",
                            probe.kept ? "kept" : probe.reason);
}

std::string outcome_text(const MaxRate& study) {
  std::string text;
  if (!study.max_rate_hz) {
    text = "\n  maximum    none: no rate kept the objectives\n";
  } else {
    const auto of_rate = [&](const Probe& probe) { return probe.rate_hz == *study.max_rate_hz; };
    const auto tries = static_cast<std::uint64_t>(std::ranges::count_if(study.probes, of_rate));
    text = fmt::format(
        "\n  maximum    {} messages/s, kept in {} of {}: {} ({} to {}) reached, "
        "p99 {}\n",
        format_rate(*study.max_rate_hz), study.reached_hz ? study.reached_hz->rounds : 0,
        format_counted(tries, "probe"), format_rate(median_of(study.reached_hz)),
        format_rate(study.reached_hz ? study.reached_hz->min : 0),
        format_rate(study.reached_hz ? study.reached_hz->max : 0), time_text(study.p99_ns));
  }
  if (study.next)
    text +=
        fmt::format("  next       {}: {}\n", format_rate(study.next->rate_hz), study.next->reason);
  if (study.limit == "generator")
    text += "  limit      the generator: the server may do more; give it more threads\n";
  if (study.limit == "machine")
    text +=
        "  limit      the machine: an end had no processor or stood still; the server may do "
        "more\n";
  if (study.probes.size() >= kProbesMax)
    text += fmt::format("  warning    stopped after {} probes: the machine does not hold still\n",
                        kProbesMax);
  const RunResult& any = study.probes.front().result;
  return text + fmt::format("  path       {} ({})\n  machine    {}\n", any.path.active,
                            any.path.evidence.empty() ? "" : any.path.evidence.front(),
                            describe(any.host));
}

std::string text_report(const MaxRate& study) {
  std::string text = about_text(study.setting);
  for (std::size_t i = 0; i < study.probes.size(); ++i) text += probe_line(i + 1, study.probes[i]);
  return text + outcome_text(study);
}

std::string text_report(const Experiment& study) {
  std::string text;
  for (const std::string& line : study.text) text += line + "\n";
  return text;
}

}  // namespace wiremark::report
