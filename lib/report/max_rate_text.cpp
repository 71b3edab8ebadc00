// A search for the highest rate as a person reads it.
#include <fmt/format.h>

#include <algorithm>

#include "measure/quantity.h"
#include "report/folding.h"
#include "report/round_figures.h"
#include "report/study.h"

namespace wiremark::report {

using namespace measure;

std::string probe_line(std::size_t number, const Probe& probe) {
  constexpr auto kRow = "  {:>5} {:>8} {:>8} {:>8} {:>6}  {:<9} {}\n";
  const RunResult& run = probe.result;
  const double planned = run.outcome ? static_cast<double>(run.outcome->planned) : 0;
  const double behind = run.pacing ? static_cast<double>(run.pacing->behind) : 0;
  std::string text;
  if (number == 1)
    text = fmt::format(kRow, "probe", "asked", "reached", "p99", "behind", "verdict", "objectives");
  constexpr std::size_t kReason = 53;
  text += fmt::format(kRow, number, format_rate(probe.rate_hz), format_rate(run.totals.qps()),
                      percentile_text(latency_of({&run, 1}), 99),
                      format_share(planned > 0 ? 100 * behind / planned : 0),
                      run.verdict ? run.verdict->level() : "-", probe.kept ? "kept" : probe.reason);
  return folded(text, kReason);
}

std::string outcome_text(const MaxRate& study) {
  std::string text = "\n";
  if (!study.max_rate_hz) {
    text += line_text("maximum", "none: no rate kept the objectives");
  } else {
    const Spread reached = study.reached_hz.value_or(Spread());
    const auto of_rate = [&](const Probe& probe) { return probe.rate_hz == *study.max_rate_hz; };
    const auto tries = static_cast<std::uint64_t>(std::ranges::count_if(study.probes, of_rate));
    text += line_text(
        "maximum",
        fmt::format("{} messages/s, kept in {} of {}: {} ({} to {}) reached, p99 {}",
                    format_rate(*study.max_rate_hz), reached.rounds, format_counted(tries, "probe"),
                    format_rate(reached.median), format_rate(reached.min), format_rate(reached.max),
                    time_text(study.p99_ns)));
  }
  if (study.next)
    text += line_text("next",
                      fmt::format("{}: {}", format_rate(study.next->rate_hz), study.next->reason));
  if (study.failed) text += line_text("FAILED", failure_in_words(*study.failed));
  if (study.limit == "generator")
    text += line_text("limit", "the generator: the server may do more; give it more threads");
  if (study.limit == "machine")
    text += line_text(
        "limit", "the machine: an end had no processor or stood still; the server may do more");
  if (study.probes.size() >= kProbesMax)
    text += line_text(
        "warning",
        fmt::format("stopped after {} probes: the machine does not hold still", kProbesMax));
  const RunResult& any = study.probes.front().result;
  return text + line_text("path", path_text(any.path)) + line_text("machine", describe(any.host));
}

std::string text_report(const MaxRate& study) {
  std::string text = about_text(study.setting);
  for (std::size_t i = 0; i < study.probes.size(); ++i) text += probe_line(i + 1, study.probes[i]);
  return text + outcome_text(study);
}

}  // namespace wiremark::report
