// What a load cost: the processors' time of both ends, and their waiting for processors.
#include "netload/load_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"
#include "netload/load_figures.h"
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

// A part of a run, between two of its moments.
struct Part {
  report::PartOfRun what;
  const Spent& from;
  const Spent& to;
};

// Those that are not the measured one. What has no length is left out: between its moments lies
// what others do.
std::vector<Part> parts_of(const LoadRecord& run) {
  const CostRecord& costs = run.costs;
  std::vector<Part> parts = {{report::kOpening, costs.begun, costs.open}};
  if (run.plan.warmup > 0) parts.push_back({report::kWarmup, costs.open, run.first.spent});
  if (run.plan.duration > 0) parts.push_back({report::kDrain, run.end.spent, run.last.spent});
  parts.push_back({report::kClosing, run.last.spent, costs.closed});
  return parts;
}

// What the server spent, to a tenth: what processes that ended have left is in clock ticks.
std::expected<measure::CpuUsage, std::string> server_between(const Spent& earlier,
                                                             const Spent& later) {
  if (!later.lost.empty()) return std::unexpected(later.lost);
  const measure::CpuUsage spent = later.server - earlier.server;
  if (spent.total >= 10 * later.unsure) return spent;
  return std::unexpected(
      fmt::format("processes of it ended, and what they spent is known to {} only",
                  format_duration(later.unsure)));
}

void add_server_cost(report::RunResult& result, const LoadRecord& run) {
  const Spent& to = run.end.spent;
  // A run that was interrupted before its start has no sample that says so.
  for (const std::string* why : {&run.target.unknown, &to.lost, &run.costs.served_by_others}) {
    if (why->empty()) continue;
    result.server_unknown = *why;
    return;
  }
  const auto spent = server_between(run.first.spent, to);
  if (!spent) {
    result.server_unknown = spent.error() + ": run longer";
    return;
  }
  const double seconds = seconds_between(run.first.spent.server_at, to.server_at);
  result.server_cpu = report::share_of(*spent, processors_filled(run, seconds));
  result.server_cpu->seconds = seconds;
  result.server = to.processes;
  result.server_rss_bytes = to.server_rss_bytes;
  report::UnknownParts unknown;
  for (const auto& [part, start, end] : parts_of(run)) {
    const auto spent_then = server_between(start, end);
    if (spent_then)
      (*result.server_cpu).*part.spent_s = spent_then->total_s();
    else
      unknown.emplace_back(part.field, spent_then.error());
  }
  if (!unknown.empty()) result.server_parts_unknown = std::move(unknown);
}

// Datagrams that others sent and received in this network namespace; none where some of ours came
// as one, so that nobody knows how many of those that were counted are ours.
std::optional<std::uint64_t> datagrams_of_others(const LoadRecord& run) {
  constexpr double kExact = 0.9;  // As many may get lost.
  const auto &before = run.costs.datagrams_before, &after = run.costs.datagrams_after;
  if (!before || !after) return std::nullopt;
  const net::ReactorStats& spent = run.last.reactor;
  const std::uint64_t ours = spent.datagrams_in.get() + spent.datagrams_out.get();
  const std::uint64_t all = *after - *before;
  if (static_cast<double>(all) < kExact * static_cast<double>(ours)) return std::nullopt;
  return all - std::min(all, ours);
}

void add_other_clients(report::RunResult& result, const LoadRecord& run) {
  const CostRecord& costs = run.costs;
  if (run.target.pids.empty() || costs.seconds == 0) return;
  if (!costs.connections_before || !costs.connections_after) {
    result.warnings.emplace_back(
        "whether others loaded the server too is not known: the kernel does not tell who is "
        "connected to it (sock_diag)");
    return;
  }
  std::map<std::uint64_t, std::optional<std::uint64_t>> before;  // Segments, by the connection.
  for (const measure::ServerEnd& end : *costs.connections_before)
    before.emplace(end.cookie, end.segments);
  report::OtherClients others{.segments = 0, .seconds = costs.seconds};
  for (const measure::ServerEnd& end : *costs.connections_after) {
    const auto earlier = before.extract(end.cookie);
    // Of those that are gone, one that is new was ours, and was opened anew.
    const bool was_others = end.client == measure::Client::gone && !earlier.empty();
    if (end.client != measure::Client::other && !was_others) continue;
    ++others.connections;
    if (!end.segments)
      others.segments.reset();
    else if (others.segments)
      *others.segments += *end.segments - (earlier ? earlier.mapped().value_or(0) : 0);
  }
  if (run.target.address.is_udp()) {
    others.segments = datagrams_of_others(run);
    // Without a socket that is connected, those of others that were counted are all there is.
    if (others.connections == 0) others.segments = others.segments.value_or(0);
  }
  others.ended = before.size();
  others.connections += others.ended;
  result.other_clients = others;
}

}  // namespace

void add_costs(report::RunResult& result, const LoadRecord& run) {
  const LoadSample& first = run.first;
  const LoadSample& last = run.end;
  result.cpu =
      report::share_of(last.spent.own - first.spent.own, static_cast<unsigned>(run.plan.threads));
  result.cpu.seconds = seconds_between(first.spent.own_at, last.spent.own_at);
  for (const auto& [part, start, end] : parts_of(run))
    result.cpu.*part.spent_s = (end.own - start.own).total_s();
  const auto wait = run.options.backend.reactor.wait.mode;
  result.spins = wait == net::WaitPolicy::Mode::spin || wait == net::WaitPolicy::Mode::adaptive;
  result.wait = wait_between(first.wait, last.wait);
  result.server_wait = wait_between(first.server_wait, last.server_wait);
  if (run.target.gaps) {
    // A gap is told when it is over. The server is at rest now, and what lies behind the end of the
    // measured part has not been counted.
    const SharedGaps::Sum gaps = run.target.gaps->sum();
    result.server_loop =
        report::ServerLoop{.gap_max = gaps.gap_max,
                           .held_up_s = seconds_between(first.server_gaps.held_up, gaps.held_up),
                           .away_s = seconds_between(first.server_gaps.away, gaps.away)};
  }
  add_server_cost(result, run);
  add_other_clients(result, run);
  if (first.machine && last.machine)
    result.machine = report::share_of(*last.machine - *first.machine);
}

}  // namespace wiremark::tools
