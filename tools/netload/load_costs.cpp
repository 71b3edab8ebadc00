// What a load cost: the processors' time of both ends, and their waiting for processors.
#include "netload/load_costs.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "report.h"

namespace wiremark::tools {

namespace {

std::optional<report::ProcessorWait> wait_between(const WaitSample& first, const WaitSample& last) {
  if (first.threads.empty() || last.threads.empty()) return std::nullopt;
  const auto spent = measure::delay_between(last.threads, first.threads, 0);
  return wait_of(spent.delay, last.throttling, first.throttling);
}

// How many processors the server can fill: its busy threads, as far as they may run at once.
unsigned processors_filled(const LoadRecord& run, double seconds) {
  const auto busy =
      measure::delay_between(run.end.server_wait.threads, run.first.server_wait.threads, seconds)
          .threads_busy;
  return std::clamp(busy, 1U, measure::processors_of(run.target.pids.front()));
}

// What the parts of a run took that are not the measured one. A part that has no length has none:
// between two of its moments lies what others do.
void add_parts(report::CpuShare& share, const LoadRecord& run, const auto& between) {
  const CostRecord& costs = run.costs;
  share.opening_s = between(costs.begun, costs.open);
  if (run.plan.warmup > 0) share.warmup_s = between(costs.open, run.first.spent);
  if (run.plan.duration > 0) share.drain_s = between(run.end.spent, run.last.spent);
  share.closing_s = between(run.last.spent, costs.closed);
}

// To a tenth, what processes that ended have left behind counted in clock ticks.
bool is_sure(const measure::CpuUsage& spent, const Spent& until) {
  return spent.total >= 10 * until.unsure;
}

void add_server_cost(report::RunResult& result, const LoadRecord& run) {
  const Spent& from = run.first.spent;
  const Spent& to = run.end.spent;
  // A run that was interrupted before its start has no sample that says so.
  for (const std::string* why : {&run.target.unknown, &to.lost, &run.costs.replaced}) {
    if (why->empty()) continue;
    result.server_unknown = *why;
    return;
  }
  const measure::CpuUsage spent = to.server - from.server;
  if (!is_sure(spent, to)) {
    result.server_unknown =
        fmt::format("processes of it ended, and what they spent is known to {} only: run longer",
                    format_duration(to.unsure));
    return;
  }
  result.server_cpu = report::share_of(spent, processors_filled(run, result.totals.seconds));
  result.server = to.processes;
  result.server_rss_bytes = to.server_rss_bytes;
  const auto between = [](const Spent& earlier, const Spent& later) -> std::optional<double> {
    const measure::CpuUsage part = later.server - earlier.server;
    if (!later.lost.empty() || !is_sure(part, later)) return std::nullopt;
    return part.total_s();
  };
  add_parts(*result.server_cpu, run, between);
}

void add_other_clients(report::RunResult& result, const CostRecord& costs) {
  if (!costs.others_before || !costs.others_after) return;
  report::OtherClients others{.seconds = costs.seconds};
  for (const auto& [connection, segments] : *costs.others_after) {
    const auto before = costs.others_before->find(connection);
    others.segments += segments - (before == costs.others_before->end() ? 0 : before->second);
  }
  for (const auto& [connection, segments] : *costs.others_before)
    others.ended += costs.others_after->contains(connection) ? 0 : 1;
  others.connections = costs.others_after->size() + others.ended;
  result.other_clients = others;
}

}  // namespace

void add_costs(report::RunResult& result, const LoadRecord& run) {
  const LoadSample& first = run.first;
  const LoadSample& last = run.end;
  result.cpu =
      report::share_of(last.spent.own - first.spent.own, static_cast<unsigned>(run.plan.threads));
  add_parts(result.cpu, run, [](const Spent& earlier, const Spent& later) {
    return (later.own - earlier.own).total_s();
  });
  const auto wait = run.options.backend.reactor.wait.mode;
  result.spins = wait == net::WaitPolicy::Mode::spin || wait == net::WaitPolicy::Mode::adaptive;
  result.wait = wait_between(first.wait, last.wait);
  result.server_wait = wait_between(first.server_wait, last.server_wait);
  if (run.target.gaps) {
    const auto seconds = [](Nanoseconds later, Nanoseconds earlier) {
      return static_cast<double>(later - earlier) / kSecond;
    };
    result.server_loop = report::ServerLoop{
        .gap_max = last.server_gaps.gap_max,
        .held_up_s = seconds(last.server_gaps.held_up, first.server_gaps.held_up),
        .away_s = seconds(last.server_gaps.away, first.server_gaps.away)};
  }
  add_server_cost(result, run);
  add_other_clients(result, run.costs);
  if (first.machine && last.machine)
    result.machine = report::share_of(*last.machine - *first.machine);
}

}  // namespace wiremark::tools
