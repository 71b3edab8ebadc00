// What a search for the highest rate is asked, and how its probes and outcome are told.
#include "netload/find_max.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/units.h"
#include "measure/quantity.h"
#include "measure/ratio.h"
#include "netload/max_search.h"
#include "netload/run.h"
#include "netload/spread_json.h"
#include "printing.h"
#include "report.h"
#include "report/json.h"
#include "report/verdict.h"

namespace wiremark::tools {

namespace {

constexpr double kFirstRate = 1'000;
// The part of the planned rate that must be answered in its time.
constexpr double kReachedMin = 0.99;

// Why the rate was not kept; empty when it was.
std::string broken_promise(const Probe& probe, const LoadOptions& options) {
  const report::RunResult& result = probe.result;
  if (probe.generator_was_limit) return "the generator, not the server, is the limit";
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

Probe judged(double rate_hz, report::RunResult result, const LoadOptions& options,
             bool interrupted) {
  report::pass_verdict(result);
  Probe probe{.rate_hz = rate_hz, .result = std::move(result), .reason = {}};
  probe.generator_was_limit = report::generator_was_limit(probe.result);
  probe.reason = interrupted ? "interrupted" : broken_promise(probe, options);
  probe.kept = probe.reason.empty();
  return probe;
}

/// What a search found, for people and for programs.
class Findings {
 public:
  explicit Findings(const LoadOptions& options)
      : options_(options), json_only_(options.output.json == "-") {}

  void print_head() const;
  /// The probe with this number, from 1.
  void print_probe(std::size_t number, const Probe& probe) const;
  void print_outcome(const MaxSearch& search) const;
  nlohmann::ordered_json document(const MaxSearch& search, bool interrupted) const;

 private:
  void print(const std::string& text) const { json_only_ ? write_err(text) : write_out(text); }

  const LoadOptions& options_;
  bool json_only_;  // Standard output is for the document alone.
};

std::string text_of(const std::vector<report::Objective>& objectives) {
  std::string text;
  for (const report::Objective& objective : objectives)
    text += (text.empty() ? "" : ", ") + objective.text;
  return text;
}

void Findings::print_head() const {
  const Nanoseconds at_most = kProbesMax * (options_.warmup + 2 * options_.time.duration);
  print(fmt::format(
      "the highest rate that keeps {}: {}, probes of {}, at most {} or {}\n\n",
      text_of(options_.objectives), measure::format_counted(options_.connections, "connection"),
      format_duration(options_.time.duration), kProbesMax, measure::format_time(at_most)));
}

void Findings::print_probe(std::size_t number, const Probe& probe) const {
  const std::uint64_t planned = probe.result.outcome->planned;
  const double behind_pct = planned == 0 ? 0
                                         : 100 * static_cast<double>(probe.result.pacing->behind) /
                                               static_cast<double>(planned);
  if (number == 1) {
    print(fmt::format("  {:>5}  {:>9}  {:>9}  {:>9}  {:>7}  {:<7}  {}\n", "probe", "asked",
                      "reached", "p99", "behind", "verdict", "objectives"));
  }
  print(fmt::format(
      "  {:>5}  {:>9}  {:>9}  {:>9}  {:>7}  {:<7}  {}\n", number,
      measure::format_rate(probe.rate_hz), measure::format_rate(probe.result.totals.qps()),
      measure::format_time(probe.p99_ns()), measure::format_share(behind_pct),
      probe.result.verdict->valid() ? "VALID" : "INVALID", probe.kept ? "kept" : probe.reason));
}

const char* limit_of(const MaxSearch& search) {
  const Probe* const failed = search.next();
  if (!failed) return "none";
  return failed->generator_was_limit ? "generator" : "server";
}

std::optional<measure::Spread> spread_of(const std::vector<const Probe*>& probes, auto&& figure) {
  std::vector<double> figures;
  for (const Probe* probe : probes) figures.push_back(figure(*probe));
  return measure::spread_of(std::move(figures));
}

double reached(const Probe& probe) { return probe.result.totals.qps(); }
double p99(const Probe& probe) { return probe.p99_ns(); }

void Findings::print_outcome(const MaxSearch& search) const {
  const Probe* const failed = search.next();
  const auto kept = search.best();
  if (kept.empty()) {
    print_out("\n  maximum    none: no rate kept the objectives\n");
  } else {
    const auto rate = spread_of(kept, reached);
    const auto latency = spread_of(kept, p99);
    print_out(
        "\n  maximum    {} messages/s, kept in {} of {}: {} ({} to {}) reached, "
        "p99 {} ({} to {})\n",
        measure::format_rate(search.kept_hz()), kept.size(),
        measure::format_counted(search.tries(), "probe"), measure::format_rate(rate->median),
        measure::format_rate(rate->min), measure::format_rate(rate->max),
        measure::format_time(latency->median), measure::format_time(latency->min),
        measure::format_time(latency->max));
  }
  if (failed)
    print_out("  next       {}: {}\n", measure::format_rate(failed->rate_hz), failed->reason);
  if (failed && failed->generator_was_limit)
    print_out("  limit      the generator: the server may do more; give it more threads\n");
  if (search.probes().size() >= kProbesMax)
    print_out("  warning    stopped after {} probes: the machine does not hold still\n",
              kProbesMax);
  print_out("  path       {} ({})\n", search.probes().front().result.path.active,
            search.probes().front().result.path.evidence.front());
  print_out("  machine    {}\n", measure::describe(search.probes().front().result.host));
}

nlohmann::ordered_json Findings::document(const MaxSearch& search, bool interrupted) const {
  using Json = nlohmann::ordered_json;
  Json all;
  all["schema"] = "wiremark.find-max/1";
  all["objectives"] = Json::array();
  for (const report::Objective& objective : options_.objectives)
    all["objectives"].push_back(objective.text);
  const auto kept = search.best();
  const Probe* const failed = search.next();
  all["max_rate_hz"] = kept.empty() ? Json() : Json(search.kept_hz());
  all["reached_hz"] = json_of(spread_of(kept, reached));
  all["p99_ns"] = json_of(spread_of(kept, p99));
  all["next"] = failed ? Json{{"rate_hz", failed->rate_hz}, {"reason", failed->reason}} : Json();
  all["limit"] = limit_of(search);
  all["interrupted"] = interrupted;
  all["probes"] = Json::array();
  for (const Probe& probe : search.probes()) {
    all["probes"].push_back({{"rate_hz", probe.rate_hz},
                             {"kept", probe.kept},
                             {"reason", probe.reason},
                             {"generator_was_limit", probe.generator_was_limit},
                             {"result", Json::parse(report::json_document(probe.result))}});
  }
  return all;
}

}  // namespace

Result<int> find_max(LoadOptions options, net::Backend backend, const Target& target,
                     const std::vector<std::string>& arguments, const net::Stop& stop,
                     Signals& signals) {
  if (options.objectives.empty()) options.objectives = *report::parse_objectives("p99<10ms");
  if (options.rate_hz > 0) options.total_rate_hz = options.rate_hz * options.connections;
  if (options.total_rate_hz == 0) options.total_rate_hz = kFirstRate;
  options.rate_hz = 0;
  options.grace = options.time.duration;
  options.output.progress = "off";
  const bool to_output = options.output.json == "-";
  const Findings findings(options);
  findings.print_head();
  std::size_t number = 0;
  const auto prober = [&](double rate_hz) -> Result<Probe> {
    options.total_rate_hz = rate_hz;
    auto result = run_load(options, backend, target, arguments, stop, signals);
    if (!result) return std::unexpected(result.error());
    Probe probe = judged(rate_hz, std::move(*result), options, stop.requested());
    findings.print_probe(++number, probe);
    return probe;
  };
  MaxSearch search(options.total_rate_hz, prober, [&] { return stop.requested() || !printed(); });
  if (auto done = search.run(); !done) return std::unexpected(done.error());
  if (search.probes().empty()) return kInterrupted;
  if (!to_output) findings.print_outcome(search);
  if (!options.output.json.empty()) {
    const std::string document = findings.document(search, stop.requested()).dump(1) + '\n';
    if (to_output) {
      write_out(document);
    } else if (auto written = write_file(options.output.json, document); !written) {
      return std::unexpected(written.error());
    }
  }
  if (stop.requested()) return kInterrupted;
  return search.best().empty() ? kCheckFailed : kDone;
}

}  // namespace wiremark::tools
