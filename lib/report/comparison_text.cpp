// A comparison as a person reads it.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "measure/conclusion.h"
#include "measure/quantity.h"
#include "report/answers.h"
#include "report/ratio_bar.h"
#include "report/round_figures.h"
#include "report/study.h"
#include "report/study_conditions.h"
#include "report/verdict.h"

namespace wiremark::report {

using namespace measure;

namespace {

constexpr auto kRow = "  {:<{}} {:<9} {:>7} {:>8} {:>8} {:>8}\n";
constexpr std::string_view kTableFigures[] = {kRate, "p50", "p99", "p99.9", kCost};

std::string_view level_of(const Rounds& rounds) {
  const auto valid = std::ranges::count_if(
      kTableFigures, [&](std::string_view figure) { return stands(rounds, figure); });
  if (valid == std::ssize(kTableFigures)) return "VALID";
  return valid > 0 ? "VALID FOR" : "INVALID";
}

std::string row_text(const Compared& one, std::size_t width) {
  const Rounds& rounds = one.rounds;
  const PooledLatency latency = latency_of(rounds);
  const auto percentile = [&](double percent) {
    return marked(percentile_text(latency, percent), rounds, percentile_name(percent));
  };
  const auto qps = spread_of(rounds, qps_of);
  return fmt::format(kRow, one.backend, width, level_of(rounds),
                     marked(qps ? format_rate(qps->median) : "n/a", rounds, kRate), percentile(50),
                     percentile(99), percentile(99.9));
}

// The processor time of both ends has rows of its own: behind the others it is too wide.
std::string costs_text(const Comparison& study, std::size_t width) {
  constexpr auto kCosts = "  {:<{}} {:<23} {}\n";
  std::string text = "\n" + fmt::format(kCosts, "", width, "server CPU", "client CPU") +
                     fmt::format(kCosts, "", width, "us/message", "us/message");
  for (const Compared& one : study.backends) {
    const auto cost = [&](FigureOf figure) {
      return marked(spread_text(spread_of(one.rounds, figure), 2), one.rounds, kCost);
    };
    text += fmt::format(kCosts, one.backend, width, cost(server_cost_of), cost(client_cost_of));
  }
  return text;
}

struct Ratio {
  const char* words;
  std::string_view figure;
  FigureOf of;
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

std::string conclusion_text(const Compared& one, const Compared& base) {
  if (const auto unlike = unlike_answers(answers_of(one.rounds), answers_of(base.rounds))) {
    return fmt::format("cannot tell {} and {} apart: {} of the answers of {} were {}, and {} of {}",
                       one.backend, base.backend, format_share(unlike->one_pct), one.backend,
                       unlike->kind, format_share(unlike->other_pct), base.backend);
  }
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

std::vector<std::string> conclusions_of(const Comparison& study) {
  std::vector<std::string> sentences;
  for (std::size_t i = 1; i < study.backends.size(); ++i)
    sentences.push_back(conclusion_text(study.backends[i], study.backends.front()));
  return sentences;
}

std::string text_report(const Comparison& study, Letters letters) {
  std::size_t width = std::string_view("backend").size();
  bool targets = false;  // Servers that the user named, HOST:PORT, instead of backends.
  for (const Compared& one : study.backends) {
    width = std::max(width, one.backend.size());
    targets = targets || one.backend.find(':') != std::string::npos;
  }
  std::string text = about_text(study.setting);
  text += fmt::format(kRow, targets ? "target" : "backend", width, "verdict", "qps", "p50", "p99",
                      "p99.9");
  Parts parts;
  for (const Compared& one : study.backends) {
    text += row_text(one, width);
    parts.push_back({one.backend, one.rounds});
  }
  text += costs_text(study, width) + ratios_text(study, letters);
  text += mark_text(text);
  text += conditions_text(study.setting, parts, study.rounds_left_out, study.failed);
  const char* label = "conclusion";
  for (const std::string& sentence : conclusions_of(study))
    text += line_text(std::exchange(label, ""), sentence);
  return text;
}

}  // namespace wiremark::report
