// Finds the highest rate that keeps the objectives, and prints the probes and the outcome.
#include "netload/studies/find_max.h"

#include <fmt/format.h>

#include "base/units.h"
#include "measure/quantity.h"
#include "netload/run.h"
#include "netload/studies/max_search.h"
#include "printing.h"
#include "report.h"
#include "report/answers.h"
#include "report/round_figures.h"
#include "report/study.h"
#include "report/verdict.h"

namespace wiremark::tools {

namespace {

constexpr double kFirstRate = 1'000;
// The share of the planned rate that must be answered in time.
constexpr double kReachedMin = 0.99;

// Why the rate was not kept; empty when it was.
std::string broken_promise(const Probe& probe, const LoadOptions& options) {
  const report::RunResult& result = probe.result;
  if (std::string unwanted = report::unwanted_statuses(result); !unwanted.empty()) return unwanted;
  if (probe.generator_was_limit) {
    return report::generator_was_full(result) ? "the generator, not the server, is the limit"
                                              : "the generator stood still or had no processor";
  }
  if (result.totals.errors_sum() > options.errors_max) {
    return fmt::format("{}, first: {}",
                       measure::format_counted(result.totals.errors_sum(), "error"),
                       result.totals.errors.front().first);
  }
  for (const report::Check& check : result.checks) {
    if (!check.passed) return fmt::format("{}: {}", check.name, check.detail);
  }
  const double planned_hz = static_cast<double>(result.outcome->planned) * kSecond /
                            static_cast<double>(options.time.duration);
  if (result.totals.qps() < kReachedMin * planned_hz)
    return fmt::format("{} qps reached", measure::format_rate(result.totals.qps()));
  return {};
}

Probe judged(double rate_hz, report::RunResult result, const LoadOptions& options) {
  report::pass_verdict(result);
  Probe probe{.rate_hz = rate_hz, .result = std::move(result), .reason = {}};
  probe.generator_was_limit = report::generator_was_limit(probe.result);
  probe.reason = probe.result.interrupted ? "interrupted" : broken_promise(probe, options);
  probe.kept = probe.reason.empty();
  return probe;
}

std::string about(const LoadOptions& options) {
  std::string objectives;
  for (const report::Objective& objective : options.objectives)
    objectives += (objectives.empty() ? "" : ", ") + objective.text;
  const Nanoseconds at_most = report::kProbesMax * (options.warmup + 2 * options.time.duration);
  return fmt::format("the highest rate that keeps {}: {}, probes of {}, at most {} or {}",
                     objectives, measure::format_counted(options.connections, "connection"),
                     format_duration(options.time.duration), report::kProbesMax,
                     measure::format_time(at_most));
}

// Whose limit a rate that was not kept is.
std::string limit_of(const Probe& next, const LoadOptions& options) {
  if (report::generator_was_full(next.result)) return "generator";
  if (next.generator_was_limit) return "machine";
  std::vector<std::string> figures;
  for (const report::Objective& objective : options.objectives) {
    if (objective.figure == report::Objective::Figure::percentile)
      figures.push_back(report::percentile_name(objective.percent));
  }
  return report::machine_was_limit(next.result, figures) ? "machine" : "server";
}

report::MaxRate study_of(const LoadOptions& options, const MaxSearch& search) {
  const auto kept = search.best();
  const Probe* const next = search.next();
  report::MaxRate study;
  study.setting.about = about(options);
  for (const report::Objective& objective : options.objectives)
    study.objectives.push_back(objective.text);
  if (!kept.empty()) study.max_rate_hz = search.kept_hz();
  report::Rounds rounds;
  for (const Probe* probe : kept) rounds.push_back(probe->result);
  study.reached_hz = report::spread_of(rounds, report::qps_of);
  study.p99_ns = report::spread_of(rounds, report::p99_ns_of);
  if (next) study.next = {next->rate_hz, next->reason};
  study.limit = next ? limit_of(*next, options) : "none";
  study.probes = search.probes();
  return study;
}

}  // namespace

Result<int> find_max(LoadOptions options, net::Backend backend, const Target& target,
                     const std::vector<std::string>& arguments, const net::Stop& stop,
                     Signals& signals) {
  if (options.objectives.empty()) options.objectives = *report::parse_objectives("p99<10ms");
  options.total_rate_hz = options.whole_rate_hz();
  if (options.total_rate_hz == 0) options.total_rate_hz = kFirstRate;
  options.rate_hz = 0;
  options.grace = options.time.duration;
  options.output.progress = "off";
  // Probes are told as they come: standard output may be for the document or the page alone.
  const bool text_shown = shows_text(options.output);
  const auto tell = [&](const std::string& text) {
    text_shown ? write_out(text) : write_err(text);
  };
  tell(report::about_text({.about = about(options), .processors = {}}));
  // By a signal, or because nobody reads what it prints.
  const auto interrupted = [&] { return stop.requested() || !printed(); };
  std::size_t number = 0;
  const auto prober = [&](double rate_hz) -> Result<Probe> {
    options.total_rate_hz = rate_hz;
    auto result = run_load(options, backend, target, arguments, stop, signals);
    if (!result) return std::unexpected(result.error());
    Probe probe = judged(rate_hz, std::move(*result), options);
    tell(report::probe_line(++number, probe));
    return probe;
  };
  MaxSearch search(options.total_rate_hz, prober, interrupted);
  const auto searched = search.run();
  if (search.probes().empty()) {
    if (!searched) return std::unexpected(searched.error());
    return kInterrupted;
  }
  report::MaxRate study = study_of(options, search);
  study.interrupted = interrupted();
  if (!searched) study.failed = {options.total_rate_hz, searched.error().message()};
  if (auto done = deliver(study, options.output, report::outcome_text); !done)
    return std::unexpected(done.error());
  if (study.failed) return failed(report::failure_in_words(*study.failed), {}, 0);
  if (interrupted()) return kInterrupted;
  for (const Probe* probe : search.best()) {
    if (exit_code(probe->result, options) != kDone) return kCheckFailed;
  }
  return search.best().empty() ? kCheckFailed : kDone;
}

}  // namespace wiremark::tools
