// Whether the figures of a run can be trusted, and why not.
#include "measure/verdict.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "measure/quantity.h"

namespace wiremark::measure {

namespace {

using Warnings = std::vector<std::string>;

void judge_generator(const RunResult& result, Warnings& warnings) {
  if (result.role != Role::generator) return;
  unsigned cores = std::max(1U, result.cpu.threads);
  if (result.host.cores_allowed > 0) cores = std::min(cores, result.host.cores_allowed);
  const double busy = result.cpu.pct(result.totals.seconds) / cores;
  if (busy > kGeneratorBusyPctMax) {
    warnings.push_back(
        fmt::format("the generator itself was {} busy: this may be its limit, not the server's; "
                    "give it more threads or processors",
                    format_share(busy)));
  }
}

void judge_schedule(const RunResult& result, Warnings& warnings) {
  if (!result.plan || result.plan->planned == 0) return;
  const auto planned = static_cast<double>(result.plan->planned);
  const double unsent_pct =
      100 - 100 * static_cast<double>(std::min(result.plan->sent, result.plan->planned)) / planned;
  const double late_pct = 100 * static_cast<double>(result.plan->late) / planned;
  if (unsent_pct > kScheduleMissedPctMax) {
    warnings.push_back(
        fmt::format("{} of the planned messages were never sent", format_share(unsent_pct)));
  }
  if (late_pct > kScheduleMissedPctMax) {
    warnings.push_back(
        fmt::format("{} of the planned messages were sent late: the schedule was "
                    "not kept",
                    format_share(late_pct)));
  }
  if (result.plan->lost > 0) {
    warnings.push_back(fmt::format("{} messages were never answered; latency leaves them out",
                                   format_count(result.plan->lost)));
  }
}

// A benchmark measures the machine's other work as well; without the server's share nobody can
// tell.
void judge_others(const RunResult& result, Warnings& warnings) {
  if (result.role == Role::generator && !result.server_cpu) return;
  if (result.role == Role::server || result.totals.seconds <= 0) return;
  const double seconds = result.totals.seconds;
  double ours = result.cpu.pct(seconds);
  if (result.server_cpu) ours += result.server_cpu->pct(seconds);
  const double others = result.machine.busy_pct * result.host.cores_online - ours;
  if (others > kOthersBusyPctMax) {
    warnings.push_back(
        fmt::format("other processes took {} of a core meanwhile: the machine was not idle",
                    format_share(others)));
  }
}

void judge_errors(const RunResult& result, Warnings& warnings) {
  const std::uint64_t errors = result.totals.errors_sum();
  if (errors == 0) return;
  std::string kinds;
  for (const auto& [kind, count] : result.totals.errors) {
    if (count > 0) kinds += (kinds.empty() ? "" : ", ") + kind + " " + format_count(count);
  }
  warnings.push_back(
      fmt::format("{} {} ({})", format_count(errors), errors == 1 ? "error" : "errors", kinds));
}

void judge_samples(const RunResult& result, Warnings& warnings) {
  const LatencySummary& latency = result.latency;
  if (latency.count == 0) {
    warnings.push_back("no message was measured");
    return;
  }
  double highest = 0;
  for (const Percentile& percentile : latency.percentiles) {
    if (percentile.percent < 100) highest = std::max(highest, percentile.percent);
  }
  // Rounded as summarize() does, so that a line it kept is not doubted for half a value.
  const double beyond = std::round(static_cast<double>(latency.count) * (100 - highest) / 100);
  if (highest > 0 && beyond < kSamplesBeyondMin) {
    warnings.push_back(fmt::format("p{} rests on {:.0f} of {} values: run longer to trust it",
                                   highest, beyond, format_count(latency.count)));
  }
  if (latency.clamped > 0) {
    warnings.push_back(fmt::format("{} latencies over an hour were counted as an hour",
                                   format_count(latency.clamped)));
  }
}

}  // namespace

std::vector<std::string> judge(const RunResult& result) {
  Warnings warnings;
  judge_generator(result, warnings);
  judge_schedule(result, warnings);
  judge_others(result, warnings);
  judge_errors(result, warnings);
  if (result.machine.steal_pct > kStealPctMax) {
    warnings.push_back(fmt::format("the hypervisor took {} of the processors' time away (steal)",
                                   format_share(result.machine.steal_pct)));
  }
  judge_samples(result, warnings);
  if (result.totals.connections < result.totals.connections_asked) {
    warnings.push_back(fmt::format("only {} of {} connections were made",
                                   format_count(result.totals.connections),
                                   format_count(result.totals.connections_asked)));
  }
  return warnings;
}

}  // namespace wiremark::measure
