// What a bypass could save as a person reads it.
#include <fmt/format.h>

#include <string_view>

#include "measure/quantity.h"
#include "report/folding.h"
#include "report/round_figures.h"
#include "report/study.h"
#include "report/study_conditions.h"
#include "report/verdict.h"

namespace wiremark::report {

using namespace measure;

namespace {

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
  constexpr auto kRow = "  {:<24} {:<30} {}\n";
  std::string text = fmt::format(kRow, "", "", "CPU us/message") +
                     fmt::format(kRow, "way", "p50 there and back", "server + client");
  for (std::size_t i = 0; i + 1 < study.ways.size(); ++i) {  // The last is the load.
    const Way& way = study.ways[i];
    const std::string cost =
        fmt::format("{} + {}", median_text(spread_of(way.rounds, server_cost_of), 2),
                    median_text(spread_of(way.rounds, client_cost_of), 2));
    text += fmt::format(kRow, way.name,
                        marked(time_text(spread_of(way.rounds, p50_ns_of)), way.rounds, "p50"),
                        marked(cost, way.rounds, kCost) + lost_text(way));
  }
  const auto& memory = study.parts.shared_memory;
  // Both ends spin all the time.
  const std::string cost =
      memory ? fmt::format("{0:.2f} + {0:.2f}", memory->median / kMicrosecond) : "n/a";
  return text + fmt::format(kRow, "shared memory, spinning", time_text(memory), cost);
}

std::string parts_text(const Bypass& study) {
  const BypassParts& parts = study.parts;
  if (study.invalid) return "\n" + line_text("INVALID", *study.invalid);
  const auto row = [](const std::optional<Spread>& ns, const char* meaning) {
    constexpr std::size_t kMeaning = 35;
    return folded(fmt::format("    {:<30} {}\n", time_text(ns), meaning), kMeaning);
  };
  const auto whole = spread_of(study.ways.front().rounds, p50_ns_of);
  return fmt::format("\n  of the {} with both ends asleep in between\n",
                     whole ? format_time(whole->median) : "time") +
         row(parts.sleep_and_wake,
             "falling asleep and waking up: --wait spin saves that, without a bypass, for a "
             "processor at each end") +
         row(parts.tcp_and_ip, "TCP and IP: a bypass brings a stack of its own for it") +
         row(parts.system_calls_and_sockets, "system calls and sockets: a bypass saves that") +
         row(parts.shared_memory, "copies and the way between the processors: nothing does");
}

// Of both ends; none where one is unknown.
std::optional<double> costs_of(const RunResult& run) {
  const auto server = server_cost_of(run), client = client_cost_of(run);
  return server && client ? std::optional(*server + *client) : std::nullopt;
}

// What one took of the other, round by round; unknown where a round lacks it.
std::string part_text(const Rounds& one, const Rounds& other, std::string_view figure,
                      FigureOf of) {
  const auto ratio = interval_of(one, other, of);
  if (!ratio || !spread_of(one, of) || !spread_of(other, of)) return "an unknown part";
  const std::string text =
      fmt::format("{:.2f} ({:.2f} to {:.2f}{})", ratio->median, ratio->lower, ratio->upper,
                  ratio->confidence < kConfidence ? ", in too few rounds" : "");
  return marked(text, stands(other, figure) ? one : other, figure);
}

std::string load_text(const Way& load) {
  const auto cost = spread_of(load.rounds, server_cost_of);
  const auto kernel = spread_of(load.rounds, kernel_pct_of);
  std::string words = "what the server's processor spends per message is not known of each round";
  if (cost && kernel) {
    words = fmt::format(
        "{:.2f} us of the server's processor time per message, {} of it in the kernel: a bypass "
        "saves that part at most, less what its own stack takes",
        cost->median, kernel->median > 99 ? "over 99 %" : fmt::format("{:.0f} %", kernel->median));
  }
  return fmt::format("\n  under load, {} in a closed loop\n",
                     format_counted(load.connections, "connection")) +
         folded("    " + words + "\n", 4);
}

}  // namespace

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
      "for 64 flows; it costs three capabilities, an interface without another such program, and "
      "what "
      "the kernel would have queued",
      part_text(*xdp, *udp, "p50", p50_ns_of), part_text(*xdp_flows, *udp_flows, kCost, costs_of));
}

std::string text_report(const Bypass& study) {
  Parts parts;
  for (const Way& way : study.ways) parts.push_back({way.name, way.rounds});
  const std::string ways = ways_text(study);
  std::string bought = bought_text(study);
  const std::string mark = mark_text(ways + bought);
  if (!bought.empty()) bought = "\n" + line_text("bypass", bought);
  return about_text(study.setting) + ways + parts_text(study) + load_text(study.ways.back()) +
         bought + mark + conditions_text(study.setting, parts, study.rounds_left_out, study.failed);
}

}  // namespace wiremark::report
