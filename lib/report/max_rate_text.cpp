// A search for the highest rate as a person reads it.
#include <fmt/format.h>

#include <algorithm>

#include "measure/quantity.h"
#include "report/round_figures.h"
#include "report/study.h"

namespace wiremark::report {

using namespace measure;

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

}  // namespace wiremark::report
