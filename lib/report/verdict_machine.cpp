// The rules about the machine: what it did meanwhile, beside running both ends.
#include <fmt/core.h>

#include <algorithm>

#include "measure/core_distance.h"
#include "measure/quantity.h"
#include "report/verdict_case.h"

namespace wiremark::report {

using namespace measure;

namespace {

// A thread that runs this soon after it became ready has not waited for a processor: waking one on
// an idle processor takes 1.6 us here.
constexpr double kWakeS = 5e-6;
// Processor time, in percent of one core, that neither end of the run accounts for.
constexpr double kOthersBusyPctMax = 20;
// Processors that share no cache are five times as far apart as those that do, and a message costs
// three times as much. Where nothing moved the distance varies by less than same_distance() allows.
constexpr double kOtherPlaceFactor = 3;

}  // namespace

Judgement Case::judge_machine() {
  judge_server_stops();
  judge_waits();
  judge_steal();
  return std::move(judgement_);
}

// What a server works for long is its own. While its threads are not on a processor it is not the
// server that is measured, and whatever comes meanwhile waits: away_s of the time of all threads.
// hit_for() says against which figures it speaks; from 10 % on it is noted in any case.
void Case::judge_server_stops() {
  if (!result_.server_loop) return;
  const double pct = result_.server_cpu.value_or(CpuShare())
                         .waited_pct(result_.server_loop->away_s, result_.totals.seconds);
  Figures hit = hit_for(pct);
  if (hit.empty() && pct <= kOwnPctMax) return;
  doubt(std::move(hit),
        fmt::format("the server stood still for {} of the time, {} at the longest: it was stopped "
                    "or had no processor, which is not its own work",
                    format_share(pct),
                    format_time(static_cast<double>(result_.server_loop->gap_max))));
}

void Case::judge_waits() {
  const char* const ours = result_.role == Role::generator ? "generator" : "server";
  judge_wait(result_.wait, result_.cpu, ours);
  if (result_.server_cpu) judge_wait(result_.server_wait, *result_.server_cpu, "server");
}

// An end stands still while its cgroup is throttled, and while its threads are ready and have no
// processor. hit_for() says against which figures that speaks.
// - Throttled: the seconds that its cgroup was stopped, of the run. A quota that the server has to
//   itself is part of what was measured: then it is only noted.
// - No processor: run_delay_s less the throttled seconds and 5 us for each time slice, of the time
//   of all threads. From 10 % on it is noted even if it hits no figure.
void Case::judge_wait(const std::optional<ProcessorWait>& wait, const CpuShare& cpu,
                      const char* end) {
  const double seconds = cpu.seconds.value_or(result_.totals.seconds);
  if (!wait || seconds <= 0) return;
  const auto& stop = wait->throttled;
  const double stopped_s = stop ? std::min(stop->seconds, seconds) : 0;
  const double share = percent_of(stopped_s, seconds);
  if (stop && stop->times > 0) {
    const std::string text = fmt::format(
        "the {} was throttled by its cgroup {} {} for {} (nr_throttled {}, throttled_usec {}): "
        "its quota was used up",
        end, stop->cgroup, format_counted(stop->times, "time"), format_time(stop->seconds * 1e9),
        stop->times, static_cast<std::uint64_t>(stop->seconds * 1e6));
    const auto& ours = result_.wait ? result_.wait->throttled : std::nullopt;
    const bool its_own = &wait == &result_.server_wait && !(ours && ours->cgroup == stop->cgroup);
    its_own ? note(text) : doubt(hit_for(share), text);
  }
  const double waited_s =
      wait->run_delay_s - stopped_s - kWakeS * static_cast<double>(wait->slices);
  const double pct = cpu.waited_pct(waited_s, seconds);
  Figures hit = hit_for(pct);
  if (hit.empty() && pct <= kOwnPctMax) return;
  doubt(std::move(hit), fmt::format("the {} was ready and had no processor for {} of the time", end,
                                    format_share(pct)));
}

// Steal as a share of the time in which processors were wanted (busy and steal together). hit_for()
// says against which figures it speaks; from 1 % on it is noted in any case.
void Case::judge_steal() {
  const MachineShare& machine = result_.machine;
  const double share = percent_of(machine.steal_pct, machine.busy_pct + machine.steal_pct);
  Figures hit = hit_for(share);
  if (hit.empty() && share <= kOverduePctMax) return;
  doubt(std::move(hit),
        fmt::format("the hypervisor took {} of the processors' time away (steal), {} of what was "
                    "wanted",
                    format_share(machine.steal_pct), format_share(share)));
}

// Notes that other processes took over 20 % of a core: the busy time of all processors less that of
// both ends. Where the server's share is not known, nobody can tell.
void Case::judge_others() {
  if (result_.role == Role::generator && !result_.server_cpu) return;
  if (result_.role == Role::server || result_.totals.seconds <= 0) return;
  const double seconds = result_.totals.seconds;
  double ours = result_.cpu.pct(seconds);
  if (result_.server_cpu) ours += result_.server_cpu->pct(seconds);
  const double others = result_.machine.busy_pct * result_.host.cores_online - ours;
  if (others <= kOthersBusyPctMax) return;
  note(fmt::format("other processes took {} of a core meanwhile: the machine was not idle",
                   format_share(others)));
}

// The server's time is divided by our messages, and its answers wait behind those to others: where
// over 10 % of the segments with data that it took and gave in a second were not ours, that speaks
// against all but the rate of a plan; below, from 1 % on, it is noted. What went over connections
// that ended meanwhile, or of which the kernel does not count it, nobody knows: against the cost;
// and so do datagrams that were not ours, of whichever server they were.
void Case::judge_other_clients() {
  const auto& others = result_.other_clients;
  if (!others || others->seconds <= 0 || result_.totals.seconds <= 0) return;
  constexpr double kSegmentsPerMessage = 2;
  const auto& packets = result_.totals.packets;
  const double ours = packets ? static_cast<double>(packets->data_in + packets->data_out)
                              : kSegmentsPerMessage * static_cast<double>(result_.totals.messages);
  const double theirs_hz = static_cast<double>(others->segments.value_or(0)) / others->seconds;
  const double pct = percent_of(theirs_hz, theirs_hz + ours / result_.totals.seconds);
  const std::uint64_t stayed = others->connections - std::min(others->connections, others->ended);
  if (pct > kOverduePctMax && stayed > 0) {
    Figures hit;
    if (pct > kOwnPctMax) {
      hit = all();
      if (result_.pacing) std::erase(hit, kRate);
    }
    doubt(std::move(hit),
          fmt::format("other clients loaded the server too: {} of its {} were those of {}, and its "
                      "time and answers are for them as well",
                      format_share(pct),
                      result_.totals.datagrams ? "datagrams" : "segments with data",
                      format_counted(stayed, "other connection")));
  } else if (pct > kOwnPctMax) {
    doubt({kCost},
          fmt::format("{} of the datagrams in this network namespace were of others: nobody "
                      "knows whether the server's time was for them too",
                      format_share(pct)));
  }
  if (!others->segments && stayed > 0) {
    doubt({kCost},
          fmt::format("the server had {} too, of which the kernel does not count what they carry: "
                      "nobody knows what part of its time was for them",
                      format_counted(stayed, "other connection")));
  }
  if (others->ended > 0) {
    doubt(
        {kCost},
        fmt::format("{} to the server ended meanwhile: nobody knows what part of its time was for "
                    "them",
                    format_counted(others->ended, "other connection")));
  }
}

// Notes that the processors came nearer or went apart, which the host of a virtual machine decides;
// by more than a factor of 3 the run is a mixture of two machines, which speaks against all.
void Case::judge_place() {
  if (!result_.core_distance) return;
  const auto [before, after] = *result_.core_distance;
  if (same_distance(before, after)) return;
  const auto [near, far] = std::minmax(before, after);
  const bool other = static_cast<double>(far) > kOtherPlaceFactor * static_cast<double>(near);
  doubt(other ? all() : Figures(),
        fmt::format("the processors were {} ns apart before and {} ns after (a cache line there "
                    "and back): the figures of two places are mixed",
                    before, after));
}

// Notes that the program was built slower than a release, of which its figures then say nothing.
void Case::judge_build() {
  if (!result_.host.build) return;
  for (const std::string& reason : measure::slowed_by(*result_.host.build))
    note("built slower than a release: " + reason);
}

bool machine_was_limit(const RunResult& result, const std::vector<std::string>& figures) {
  const Judgement of_machine = Case(result).judge_machine();
  return std::ranges::any_of(of_machine.doubts, [&](const Doubt& doubt) {
    return std::ranges::find_first_of(doubt.figures, figures) != doubt.figures.end();
  });
}

}  // namespace wiremark::report
