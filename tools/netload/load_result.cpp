// What a load counted and spent, moment by moment, and the result that it adds up to.
#include "netload/load_result.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "measure/quantity.h"
#include "report.h"

namespace wiremark::tools {

namespace {

// What the messages hold, as the configuration tells it.
std::pair<std::string, std::string> contents_of(const LoadRecord& run) {
  const Contents& contents = run.traffic.contents;
  if (run.traffic.format != kRaw) {
    return {"input",
            fmt::format("{}, {:.1f} bytes on average", contents.source, contents.mean_bytes())};
  }
  const SizeRange& size = run.options.size;
  if (size.min == size.max) return {"size", std::to_string(size.min)};
  return {"size", fmt::format("{}-{}", size.min, size.max)};
}

std::vector<std::pair<std::string, std::string>> config_of(const LoadRecord& run) {
  const LoadOptions& options = run.options;
  const LoadPlan& plan = run.plan;
  const auto on_off = [](bool on) { return on ? "on" : "off"; };
  return {
      {"target", run.target.address.to_string()},
      {"connections", std::to_string(plan.connections)},
      {"loop", plan.open_loop() ? "open" : "closed"},
      {"rate", fmt::format("{:g}", plan.rate_hz)},
      {"arrival", options.poisson ? "poisson" : "even"},
      {"pipeline", std::to_string(plan.pipeline)},
      {"requests", std::to_string(plan.requests)},
      {"duration", format_duration(plan.duration)},
      {"warmup", format_duration(plan.warmup)},
      {"format", run.traffic.format},
      contents_of(run),
      {"verify", on_off(run.traffic.verify)},
      {"threads", std::to_string(plan.threads)},
      {"cpus", format_cpus(options.threads.cpus)},
      {"source-ip", plan.sources.to_string()},
      {"connect-rate", fmt::format("{:g}", plan.connect_rate_hz)},
      {"churn", std::to_string(plan.churn)},
      {"reconnect", on_off(plan.reconnect)},
      {"receive-timestamps", on_off(options.backend.reactor.receive_timestamps)},
      {"timeout", format_duration(plan.timeout)},
      {"max-errors", std::to_string(options.errors_max)},
      {"seed", std::to_string(options.seed)},
  };
}

void add_datagrams(measure::RunResult& result, const LoadRecord& run) {
  const LoadTally& tally = run.tally;
  // The first sample is taken when the first datagrams have left already. Before the start are
  // none.
  const bool warm = run.plan.warmup > 0;
  const net::ReactorStats spent = warm ? run.last.reactor - run.first.reactor : run.last.reactor;
  std::uint64_t dropped = 0;
  for (const auto& counts : tally) dropped += counts->datagrams_dropped;
  result.totals.datagrams = measure::Datagrams{.in = spent.datagrams_in.get(),
                                               .out = spent.datagrams_out.get(),
                                               .unsent = spent.datagrams_unsent.get(),
                                               .dropped = dropped};
  result.delivery = measure::Delivery{.reordered = tally.sum(&LoadCounts::reordered),
                                      .duplicated = tally.sum(&LoadCounts::duplicated),
                                      .wrong = tally.sum(&LoadCounts::wrong)};
}

void add_totals(measure::RunResult& result, const LoadRecord& run) {
  const LoadTally& tally = run.tally;
  const auto& before = run.first.seen.packets;
  if (const auto& after = run.last.seen.packets; before && after)
    result.totals.packets = *after - *before;
  Nanoseconds last_answer = run.first.seen.at;
  for (const auto& counts : tally) {
    for (const auto& [kind, count] : counts->errors)
      measure::add_error(result.totals.errors, kind, count);
    last_answer = std::max(last_answer, counts->last_answer_ns.load(std::memory_order_relaxed));
    if (!counts->wrong_reply.empty() && result.checks.empty())
      result.checks = {{"verify", false, counts->wrong_reply}};
  }
  if (run.traffic.verify && result.checks.empty()) {
    const bool raw = run.traffic.format == kRaw;
    result.checks = {{"verify", true,
                      raw ? "every byte of every reply compared with what was sent"
                          : "head, guid and content of every answer compared with what was sent"}};
  }
  if (run.target.address.is_udp()) add_datagrams(result, run);
  result.totals.errors_allowed = run.options.errors_max;
  result.totals.connections_asked = run.plan.connections;
  result.totals.connections = tally.sum(&LoadCounts::connected);
  result.totals.messages = tally.sum(&LoadCounts::answered);
  result.totals.bytes_in = tally.sum(&LoadCounts::bytes_in);
  result.totals.bytes_out = tally.sum(&LoadCounts::bytes_out);
  result.totals.seconds = static_cast<double>(last_answer - run.first.seen.at) / kSecond;
}

// A server of another format closes, or waits for the rest of what it takes for a longer message.
// Nothing has arrived then that could show it.
void add_doubts(measure::RunResult& result, const LoadRecord& run) {
  const std::string& format = run.traffic.format;
  if (!run.traffic.contents.note.empty()) result.warnings.push_back(run.traffic.contents.note);
  if (format == kRaw || result.totals.messages > 0 || result.totals.errors.empty()) return;
  if (!result.checks.empty() && !result.checks.front().passed) return;
  result.warnings.push_back(
      fmt::format("no message was answered: expected {} frames, got nothing (does the server speak "
                  "{}? netecho -f {})",
                  format, format, format));
}

void add_latencies(measure::RunResult& result, const LoadRecord& run) {
  const LoadTally& tally = run.tally;
  const bool open_loop = run.plan.open_loop();
  const bool from_send = run.options.latency_from_send || !open_loop;
  std::span<const double> percentiles = measure::kPercentiles;
  if (!run.options.latency.percentiles.empty()) percentiles = run.options.latency.percentiles;
  result.latency = measure::summarize(
      tally.merged(from_send && open_loop ? &LoadCounts::service : &LoadCounts::response),
      from_send ? "send" : "schedule", percentiles);
  if (!run.target.address.is_udp())
    result.connect = measure::summarize(tally.merged(&LoadCounts::connect), "connect", percentiles);
  if (!open_loop) return;
  const measure::Histogram lateness = tally.merged(&LoadCounts::lateness);
  result.service = measure::summarize(tally.merged(&LoadCounts::service), "send", percentiles);
  result.lateness = measure::summarize(lateness, "schedule", percentiles);
  result.pacing = measure::Pacing{.behind = lateness.count_above(measure::kLateNs),
                                  .overdue = tally.sum(&LoadCounts::overdue)};
}

void add_outcome(measure::RunResult& result, const LoadRecord& run) {
  const LoadTally& tally = run.tally;
  measure::Outcome outcome;
  outcome.sent = tally.sum(&LoadCounts::sent);
  outcome.planned = run.plan.open_loop() ? tally.sum(&LoadCounts::planned) : outcome.sent;
  outcome.unsent = outcome.planned - outcome.sent;
  outcome.answered = tally.sum(&LoadCounts::answered);
  outcome.lost = outcome.sent - outcome.answered;
  // What comes after the books have forgotten its message counts as late, were it answered or not.
  outcome.late = std::min(tally.sum(&LoadCounts::late), outcome.lost);
  result.outcome = outcome;
}

void add_costs(measure::RunResult& result, const LoadRecord& run) {
  const LoadSample& first = run.first;
  const LoadSample& last = run.last;
  result.cpu =
      measure::share_of(last.seen.cpu - first.seen.cpu, static_cast<unsigned>(run.plan.threads));
  const auto wait = run.options.backend.reactor.wait.mode;
  result.spins = wait == net::WaitPolicy::Mode::spin || wait == net::WaitPolicy::Mode::adaptive;
  if (first.server_cpu && last.server_cpu)
    result.server_cpu = measure::share_of(*last.server_cpu - *first.server_cpu, 1);
  if (run.target.pid) {
    if (const auto memory = measure::memory_of_process(*run.target.pid))
      result.server_rss_bytes = memory->resident_bytes_max;
  }
  if (first.machine && last.machine)
    result.machine = measure::share_of(*last.machine - *first.machine);
}

// What a batch adds to the figures, and by which clock answers are timed.
void add_granularity(measure::RunResult& result, const LoadRecord& run) {
  std::vector<std::string>& lines = result.path.evidence;
  const Nanoseconds grid = run.plan.gather;
  const std::string late = grid > 0 ? ", up to " + format_duration(grid) + " later" : "";
  if (grid > 0 && run.plan.open_loop()) {
    lines.push_back(fmt::format("what comes due is sent every {}: lateness and response count it",
                                format_duration(grid)));
  }
  const net::ReactorStats stats = run.last.reactor - run.first.reactor;
  const std::uint64_t stamped = stats.stamped.get();
  const std::uint64_t unstamped = stats.unstamped.get();
  if (!run.options.backend.reactor.receive_timestamps) {
    if (grid > 0) lines.push_back("answers are timed when they are read" + late);
  } else if (stamped == 0) {
    lines.push_back(
        "receive timestamps: none from this kind of socket; answers are timed when they are read" +
        late);
  } else if (unstamped == 0) {
    lines.emplace_back("receive timestamps: answers are timed when the kernel received them");
  } else {
    const double share = static_cast<double>(stamped) / static_cast<double>(stamped + unstamped);
    lines.push_back(fmt::format(
        "receive timestamps: {:.3g} % of the answers are timed when the kernel received "
        "them, the others when they are read{}",
        100 * share, late));
  }
}

}  // namespace

LoadTally::LoadTally(std::size_t threads) {
  for (std::size_t i = 0; i < threads; ++i) counts_.push_back(std::make_unique<LoadCounts>());
}

std::uint64_t LoadTally::sum(Counter LoadCounts::* counter) const {
  std::uint64_t total = 0;
  for (const auto& counts : counts_) total += ((*counts).*counter).get();
  return total;
}

measure::Histogram LoadTally::merged(measure::Histogram LoadCounts::* histogram) const {
  measure::Histogram all;
  for (const auto& counts : counts_) all.merge((*counts).*histogram);
  return all;
}

LoadSample take_sample(const LoadTally& tally, const Target& target,
                       const net::ReactorStats& reactor) {
  LoadSample sample;
  measure::Snapshot& seen = sample.seen;
  seen.at = now_ns();
  seen.messages = tally.sum(&LoadCounts::answered);
  seen.bytes_in = tally.sum(&LoadCounts::bytes_in);
  seen.bytes_out = tally.sum(&LoadCounts::bytes_out);
  seen.errors = tally.sum(&LoadCounts::failed);
  seen.connections = tally.sum(&LoadCounts::connected) - tally.sum(&LoadCounts::closed);
  seen.latency = tally.merged(&LoadCounts::response);
  seen.cpu = measure::cpu_of_this_process();
  if (const auto memory = measure::memory_of_process()) seen.rss_bytes = memory->resident_bytes;
  sample.held = tally.sum(&LoadCounts::held);
  sample.reactor = reactor;
  if (target.pid) {
    if (const auto cpu = measure::cpu_of_process(*target.pid)) sample.server_cpu = *cpu;
  }
  if (const auto machine = measure::machine_usage()) sample.machine = *machine;
  return sample;
}

measure::RunResult load_result(const LoadRecord& run, const std::vector<std::string>& arguments) {
  measure::RunResult result = new_result("netload", arguments, run.started_at);
  result.config = config_of(run);
  add_config(result, run.options.backend);
  add_totals(result, run);
  add_doubts(result, run);
  add_latencies(result, run);
  add_outcome(result, run);
  add_costs(result, run);
  result.path = path_of(run.options.backend.backend, run.backend, run.tally.front().path,
                        run.last.reactor - run.first.reactor, result.totals.messages);
  if (const std::uint64_t held = run.last.held - run.first.held; held > 0) {
    result.path.evidence.push_back(measure::format_counted(held, "message") +
                                   " waited for room in the pipeline of a connection");
  }
  add_granularity(result, run);
  for (const measure::Objective& objective : run.options.objectives)
    result.checks.push_back(measure::check(objective, result));
  return result;
}

}  // namespace wiremark::tools
