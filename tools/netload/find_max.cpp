// The highest rate that keeps the objectives, found in probes.
#include "netload/find_max.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/units.h"
#include "measure/json_export.h"
#include "measure/quantity.h"
#include "measure/ratio.h"
#include "measure/verdict.h"
#include "netload/spread_json.h"
#include "printing.h"
#include "report.h"

namespace wiremark::tools {

namespace {

constexpr double kFirstRate = 1'000;
constexpr double kLowestRate = 1;
constexpr double kBracket = 1.05;
constexpr std::size_t kRepeats = 3;
// The part of the planned rate that must be answered in its time.
constexpr double kReachedMin = 0.99;

struct Probe {
  double rate_hz = 0;
  measure::RunResult result;
  bool kept = false;
  bool generator_was_limit = false;
  std::string reason;  // Why it was not kept.

  double p99_ns() const {
    const auto histogram = measure::restore(result.latency);
    return histogram ? static_cast<double>(histogram->percentile(99)) : 0;
  }
};

// Why the rate was not kept; empty when it was.
std::string broken_promise(const Probe& probe, const LoadOptions& options) {
  const measure::RunResult& result = probe.result;
  if (probe.generator_was_limit) return "the generator, not the server, is the limit";
  if (result.totals.errors_sum() > options.errors_max) {
    return fmt::format("{}, first: {}",
                       measure::format_counted(result.totals.errors_sum(), "error"),
                       result.totals.errors.front().first);
  }
  for (const measure::Check& check : result.checks) {
    if (!check.passed) return fmt::format("{}: {}", check.name, check.detail);
  }
  const double planned_hz = static_cast<double>(result.plan->planned) * kSecond /
                            static_cast<double>(options.time.duration);
  if (result.totals.qps() < kReachedMin * planned_hz)
    return fmt::format("{} qps reached", measure::format_rate(result.totals.qps()));
  return {};
}

/// Probes rates of one load until the edge is known.
class Search {
 public:
  Search(const LoadOptions& options, net::Backend backend, const Target& target,
         const std::vector<std::string>& arguments, const net::Stop& stop, Signals& signals)
      : options_(options),
        backend_(backend),
        target_(target),
        arguments_(arguments),
        stop_(stop),
        signals_(signals),
        json_only_(options.output.json == "-") {}

  /// Errors: a probe that cannot run.
  Result<> run();

  const std::vector<Probe>& probes() const noexcept { return probes_; }
  /// The probes of the highest rate that was kept.
  std::vector<const Probe*> best() const;
  /// How many probes that rate had.
  std::size_t tries() const;
  /// The lowest rate that was not; none when every rate was.
  const Probe* next() const;
  void print_outcome() const;
  nlohmann::ordered_json document() const;

 private:
  Result<bool> keeps(double rate_hz);
  Result<bool> probe(double rate_hz);
  Result<> confirm();
  bool over() const { return stop_.requested() || !printed() || probes_.size() >= kProbesMax; }
  void print_probe(const Probe& probe) const;
  template <class... T>
  void print_line(fmt::format_string<T...> form, T&&... values) const;
  const char* limit() const;

  LoadOptions options_;
  net::Backend backend_;
  const Target& target_;
  const std::vector<std::string>& arguments_;
  const net::Stop& stop_;
  Signals& signals_;
  bool json_only_;  // Standard output is for the document alone.
  std::vector<Probe> probes_;
  double kept_hz_ = 0;           // The highest rate known to be kept; 0 is none yet.
  double failed_hz_ = INFINITY;  // The lowest rate known to fail.
};

Result<> Search::run() {
  double rate = options_.total_rate_hz;
  while (!over() && rate >= kLowestRate && (kept_hz_ == 0 || failed_hz_ > kept_hz_ * kBracket)) {
    const auto kept = keeps(rate);
    if (!kept) return std::unexpected(kept.error());
    (*kept ? kept_hz_ : failed_hz_) = rate;
    if (std::isinf(failed_hz_)) {
      rate = 2 * kept_hz_;
    } else {
      rate = kept_hz_ == 0 ? failed_hz_ / 4 : std::sqrt(kept_hz_ * failed_hz_);
    }
  }
  return confirm();
}

// A hiccup of the machine is no limit of the server: what failed once is tried again.
Result<bool> Search::keeps(double rate_hz) {
  auto kept = probe(rate_hz);
  if (kept && !*kept && !over()) kept = probe(rate_hz);
  return kept;
}

// Repeats the highest rate, and goes down by the width of the bracket while it was luck.
Result<> Search::confirm() {
  while (kept_hz_ > 0 && !over()) {
    const auto of_rate = [this](const Probe& one) { return one.rate_hz == kept_hz_; };
    while (std::ranges::count_if(probes_, of_rate) < static_cast<std::ptrdiff_t>(kRepeats) &&
           !over()) {
      if (auto kept = probe(kept_hz_); !kept) return std::unexpected(kept.error());
    }
    const auto good =
        std::ranges::count_if(probes_, [&](const Probe& one) { return of_rate(one) && one.kept; });
    if (2 * good > std::ranges::count_if(probes_, of_rate)) return {};
    failed_hz_ = kept_hz_;
    kept_hz_ /= kBracket;
  }
  return {};
}

Result<bool> Search::probe(double rate_hz) {
  options_.total_rate_hz = rate_hz;
  auto result = run_load(options_, backend_, target_, arguments_, stop_, signals_);
  if (!result) return std::unexpected(result.error());
  measure::pass_verdict(*result);
  Probe probe{.rate_hz = rate_hz, .result = std::move(*result), .reason = {}};
  probe.generator_was_limit = measure::generator_was_limit(probe.result);
  probe.reason = stop_.requested() ? "interrupted" : broken_promise(probe, options_);
  probe.kept = probe.reason.empty();
  print_probe(probe);
  probes_.push_back(std::move(probe));
  return probes_.back().kept;
}

template <class... T>
void Search::print_line(fmt::format_string<T...> form, T&&... values) const {
  const std::string line = fmt::format(form, std::forward<T>(values)...);
  json_only_ ? write_err(line) : write_out(line);
}

void Search::print_probe(const Probe& probe) const {
  const measure::Plan& plan = *probe.result.plan;
  const double late_pct =
      plan.planned == 0 ? 0
                        : 100 * static_cast<double>(plan.late) / static_cast<double>(plan.planned);
  if (probes_.empty()) {
    print_line("  {:>5}  {:>9}  {:>9}  {:>9}  {:>7}  {:<7}  {}\n", "probe", "asked", "reached",
               "p99", "late", "verdict", "objectives");
  }
  print_line("  {:>5}  {:>9}  {:>9}  {:>9}  {:>7}  {:<7}  {}\n", probes_.size() + 1,
             measure::format_rate(probe.rate_hz), measure::format_rate(probe.result.totals.qps()),
             measure::format_time(probe.p99_ns()), measure::format_share(late_pct),
             probe.result.verdict->valid() ? "VALID" : "INVALID",
             probe.kept ? "kept" : probe.reason);
}

std::vector<const Probe*> Search::best() const {
  std::vector<const Probe*> best;
  for (const Probe& probe : probes_) {
    if (probe.rate_hz == kept_hz_ && probe.kept) best.push_back(&probe);
  }
  return best;
}

std::size_t Search::tries() const {
  return static_cast<std::size_t>(std::ranges::count(probes_, kept_hz_, &Probe::rate_hz));
}

const Probe* Search::next() const {
  const Probe* found = nullptr;
  for (const Probe& probe : probes_) {
    if (probe.rate_hz == failed_hz_ && !probe.kept) found = &probe;
  }
  return found;
}

const char* Search::limit() const {
  const Probe* const failed = next();
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

void Search::print_outcome() const {
  const Probe* const failed = next();
  const auto kept = best();
  if (kept.empty()) {
    print_out("\n  maximum    none: no rate kept the objectives\n");
  } else {
    const auto rate = spread_of(kept, reached);
    const auto latency = spread_of(kept, p99);
    print_out(
        "\n  maximum    {} messages/s, kept in {} of {}: {} ({} to {}) reached, "
        "p99 {} ({} to {})\n",
        measure::format_rate(kept_hz_), kept.size(), measure::format_counted(tries(), "probe"),
        measure::format_rate(rate->median), measure::format_rate(rate->min),
        measure::format_rate(rate->max), measure::format_time(latency->median),
        measure::format_time(latency->min), measure::format_time(latency->max));
  }
  if (failed)
    print_out("  next       {}: {}\n", measure::format_rate(failed->rate_hz), failed->reason);
  if (failed && failed->generator_was_limit)
    print_out("  limit      the generator: the server may do more; give it more threads\n");
  if (probes_.size() >= kProbesMax)
    print_out("  warning    stopped after {} probes: the machine does not hold still\n",
              kProbesMax);
  print_out("  path       {} ({})\n", probes_.front().result.path.active,
            probes_.front().result.path.evidence.front());
  print_out("  machine    {}\n", measure::describe(probes_.front().result.host));
}

nlohmann::ordered_json Search::document() const {
  using Json = nlohmann::ordered_json;
  Json all;
  all["schema"] = "wiremark.find-max/1";
  all["objectives"] = Json::array();
  for (const measure::Objective& objective : options_.objectives)
    all["objectives"].push_back(objective.text);
  const auto kept = best();
  const Probe* const failed = next();
  all["max_rate_hz"] = kept.empty() ? Json() : Json(kept_hz_);
  all["reached_hz"] = json_of(spread_of(kept, reached));
  all["p99_ns"] = json_of(spread_of(kept, p99));
  all["next"] = failed ? Json{{"rate_hz", failed->rate_hz}, {"reason", failed->reason}} : Json();
  all["limit"] = limit();
  all["interrupted"] = stop_.requested();
  all["probes"] = Json::array();
  for (const Probe& probe : probes_) {
    all["probes"].push_back({{"rate_hz", probe.rate_hz},
                             {"kept", probe.kept},
                             {"reason", probe.reason},
                             {"generator_was_limit", probe.generator_was_limit},
                             {"result", Json::parse(measure::json_document(probe.result))}});
  }
  return all;
}

std::string text_of(const std::vector<measure::Objective>& objectives) {
  std::string text;
  for (const measure::Objective& objective : objectives)
    text += (text.empty() ? "" : ", ") + objective.text;
  return text;
}

}  // namespace

Result<int> find_max(LoadOptions options, net::Backend backend, const Target& target,
                     const std::vector<std::string>& arguments, const net::Stop& stop,
                     Signals& signals) {
  if (options.objectives.empty()) options.objectives = *measure::parse_objectives("p99<10ms");
  if (options.rate_hz > 0) options.total_rate_hz = options.rate_hz * options.connections;
  if (options.total_rate_hz == 0) options.total_rate_hz = kFirstRate;
  options.rate_hz = 0;
  options.grace = options.time.duration;
  options.output.progress = "off";
  const bool to_output = options.output.json == "-";
  const Nanoseconds at_most = kProbesMax * (options.warmup + 2 * options.time.duration);
  const std::string head = fmt::format(
      "the highest rate that keeps {}: {}, probes of {}, at most {} or {}\n\n",
      text_of(options.objectives), measure::format_counted(options.connections, "connection"),
      format_duration(options.time.duration), kProbesMax, measure::format_time(at_most));
  to_output ? write_err(head) : write_out(head);

  Search search(options, backend, target, arguments, stop, signals);
  if (auto done = search.run(); !done) return std::unexpected(done.error());
  if (search.probes().empty()) return kInterrupted;
  if (!to_output) search.print_outcome();
  if (!options.output.json.empty()) {
    const std::string document = search.document().dump(1) + '\n';
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
