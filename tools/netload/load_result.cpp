// The result of a load, from what it counted and spent.
#include "netload/load_result.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "measure/quantity.h"
#include "netload/answer_timing.h"
#include "netload/load_costs.h"
#include "netload/load_figures.h"
#include "realtime.h"
#include "report.h"

namespace wiremark::tools {

namespace {

std::string digest_text(const std::optional<std::uint64_t>& digest) {
  return digest ? fmt::format("{:016x}", *digest) : std::string();
}

std::vector<std::pair<std::string, std::string>> config_of(const LoadRecord& run) {
  const LoadOptions& options = run.options;
  const load::Plan& plan = run.plan;
  const auto on_off = [](bool on) { return on ? "on" : "off"; };
  std::vector<std::pair<std::string, std::string>> config = {
      {"target", run.target.address.to_string()},
      {"connections", std::to_string(plan.connections)},
      {"share", fmt::format("{}/{}", plan.share.index, plan.share.of)},
      {"loop", plan.open_loop() ? "open" : "closed"},
      {"rate", fmt::format("{:g}", plan.rate_hz)},
      {"arrival", options.poisson ? "poisson" : "even"},
      {"pipeline", std::to_string(plan.pipeline)},
      {"requests", std::to_string(plan.requests)},
      {"duration", format_duration(plan.duration)},
      {"warmup", format_duration(plan.warmup)},
      {"format", std::string(run.exchange.name())},
      run.exchange.contents(),
      {"verify", on_off(run.exchange.verifies())},
      {"threads", std::to_string(plan.threads)},
      {"cpus", format_cpus(options.threads.cpus)},
      {"source-ip", plan.sources.to_string()},
      {"connect-rate", fmt::format("{:g}", plan.connect_rate_hz)},
      {"churn", std::to_string(plan.churn)},
      {"reconnect", on_off(plan.reconnect)},
      {"receive-timestamps", on_off(options.backend.reactor.receive_timestamps)},
      {"timeout", format_duration(plan.timeout)},
      {"max-errors", std::to_string(options.errors_max)},
      {"seed", std::to_string(options.exchange.seed)},
  };
  const load::CustomOptions& custom = options.exchange.custom;
  const std::pair<const char*, std::string> where_given[] = {
      {"host", custom.authority},
      {"method", custom.method},
      {"header", fmt::format("{}", fmt::join(custom.headers, ", "))},
      {"body", custom.body.value_or("")},
      {"greeting", custom.greeting},
      {"expect", custom.expect.value_or("")},
      {"expect-status", custom.expect_status},
      {"digest", digest_text(run.exchange.digest())},
      {"max-frame", options.exchange.max_frame == load::ExchangeOptions().max_frame
                        ? std::string()
                        : std::to_string(options.exchange.max_frame)}};
  for (const auto& [name, value] : where_given)
    if (!value.empty()) config.emplace_back(name, value);
  return config;
}

void add_datagrams(report::RunResult& result, const LoadRecord& run) {
  const LoadTally& tally = run.tally;
  // The first sample may be taken late, when datagrams have left already. Before the start are
  // none.
  const bool warm = run.plan.warmup > 0;
  const net::ReactorStats spent = warm ? run.last.reactor - run.first.reactor : run.last.reactor;
  std::uint64_t dropped = 0;
  for (const auto& counts : tally) dropped += counts->datagrams_dropped;
  result.totals.datagrams = report::Datagrams{.in = spent.datagrams_in.get(),
                                              .out = spent.datagrams_out.get(),
                                              .unsent = spent.datagrams_unsent.get(),
                                              .dropped = dropped};
  if (!run.exchange.has_ids()) result.delivery->without_ids = true;
}

void add_totals(report::RunResult& result, const LoadRecord& run) {
  const LoadTally& tally = run.tally;
  const auto& before = run.first.seen.packets;
  if (const auto& after = run.end.seen.packets; before && after)
    result.totals.packets = *after - *before;
  const auto [name, sentence] = run.exchange.checked();
  load::ErrorCounts errors;
  for (const auto& counts : tally) {
    errors.merge(counts->errors);
    if (!counts->wrong_reply.empty() && result.checks.empty())
      result.checks = {{name.empty() ? "verify" : name, false, counts->wrong_reply}};
  }
  for (const auto* kinds : {&errors.of_load(), &errors.of_server()})
    result.totals.errors.insert(result.totals.errors.end(), kinds->begin(), kinds->end());
  if (errors.others() > 0) result.totals.errors.emplace_back(report::kOtherErrors, errors.others());
  // Nothing is said of replies where none came.
  if (!name.empty() && result.checks.empty() && result.outcome->answered > 0)
    result.checks = {{name, true, sentence}};
  if (over_udp(run.options)) add_datagrams(result, run);
  result.totals.errors_allowed = run.options.errors_max;
}

void add_doubts(report::RunResult& result, const LoadRecord& run) {
  if (std::string note = run.exchange.note(); !note.empty())
    result.warnings.push_back(std::move(note));
  for (const auto& counts : run.tally) {
    if (counts->note.empty()) continue;
    result.warnings.push_back(counts->note);
    break;
  }
}

// The answers by kind, where the protocol tells kinds apart.
void add_answers(report::RunResult& result, const LoadRecord& run) {
  if (!run.exchange.tells_kinds()) return;
  result.answers.emplace();
  for (std::size_t kind = 1; kind < load::kAnswerKinds; ++kind) {
    std::uint64_t count = 0;
    for (const auto& counts : run.tally) count += counts->kinds[kind].get();
    if (count > 0)
      result.answers->emplace_back(run.exchange.name_of_kind(static_cast<std::uint16_t>(kind)),
                                   count);
  }
}

// What a batch adds to the figures, and by which clock answers are timed.
void add_granularity(report::RunResult& result, const LoadRecord& run) {
  std::vector<std::string>& lines = result.path.evidence;
  const Nanoseconds grid = run.plan.gather;
  if (grid > 0 && run.plan.open_loop()) {
    lines.push_back(fmt::format("what comes due is sent every {}: lateness and response count it",
                                format_duration(grid)));
  }
  const net::ReactorStats stats = run.last.reactor - run.first.reactor;
  const net::Address& address = run.target.address;
  const std::string timing = evidence_of({.asked = run.options.backend.reactor.receive_timestamps,
                                          .tells = !address.is_unix() && !address.is_udp(),
                                          .stamped = stats.stamped.get(),
                                          .unstamped = stats.unstamped.get(),
                                          .late = grid});
  if (!timing.empty()) lines.push_back(timing);
}

}  // namespace

report::RunResult load_result(const LoadRecord& run, const std::vector<std::string>& arguments) {
  report::RunResult result = new_result("netload", arguments, run.started_at);
  const auto until_now = std::chrono::nanoseconds(now_ns() - run.measure_from);
  result.measured_from = std::chrono::duration<double>(
                             (std::chrono::system_clock::now() - until_now).time_since_epoch())
                             .count();
  result.config = config_of(run);
  add_config(result, run.options.backend);
  add_doubts(result, run);
  CountedLoad counted{.plan = run.plan,
                      .tally = run.tally,
                      .datagrams = over_udp(run.options),
                      .measure_from = run.measure_from,
                      .ended_at = run.end.seen.at};
  if (!run.options.latency.percentiles.empty())
    counted.percentiles = run.options.latency.percentiles;
  add_figures(result, counted);
  add_totals(result, run);
  add_answers(result, run);
  add_costs(result, run);
  result.path = path_of(run.options.backend.backend, run.backend, run.tally.front().path,
                        run.end.reactor - run.first.reactor, result.totals.messages);
  if (run.options.backend.realtime) result.path.evidence.push_back(realtime_note());
  if (const std::uint64_t held = run.last.held - run.first.held; held > 0) {
    result.path.evidence.push_back(measure::format_counted(held, "message") +
                                   " waited for room in the pipeline of a connection");
  }
  const auto tell_closed = [&](Counter load::Counts::* counter, const char* how) {
    if (const std::uint64_t closed = run.tally.sum(counter); closed > 0)
      result.path.evidence.push_back(fmt::format(
          "the server closed {} {}", measure::format_counted(closed, "connection"), how));
  };
  tell_closed(&load::Counts::ended, "behind a reply, as it had said: opened again");
  tell_closed(&load::Counts::closed_idle,
              "with nothing under way: opened again when a message was due");
  add_granularity(result, run);
  for (const report::Objective& objective : run.options.objectives)
    result.checks.push_back(report::check(objective, result));
  return result;
}

}  // namespace wiremark::tools
