// Whether the figures of a run can be trusted, and why not.
#include "report/verdict.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "measure/core_distance.h"
#include "measure/quantity.h"

namespace wiremark::report {

using namespace measure;

namespace {

double percent_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

const char* was(std::uint64_t count) { return count == 1 ? "was" : "were"; }

// Of the processors that its threads can fill; 0 where it spins, since that is always busy.
double busy_pct_of(const RunResult& result) {
  if (result.spins) return 0;
  unsigned cores = std::max(1U, result.cpu.threads);
  if (result.host.cores_allowed > 0) cores = std::min(cores, result.host.cores_allowed);
  return result.cpu.pct(result.totals.seconds) / cores;
}

// A closed loop drives both ends as hard as they go; where the server is full, its rate is
// measured.
bool server_was_limit(const RunResult& result) {
  if (result.pacing || !result.server_cpu) return false;
  const double busy = result.server_cpu->pct(result.totals.seconds) / result.server_cpu->threads;
  return busy > kGeneratorBusyPctMax;
}

void judge_generator(const RunResult& result, Judgement& judgement) {
  if (result.role != Role::generator) return;
  if (result.spins && !result.pacing) {
    judgement.notes.push_back(
        "the generator spins and has no plan: nothing shows whether it was the limit");
  }
  const double busy = busy_pct_of(result);
  if (busy <= kGeneratorBusyPctMax) return;
  if (server_was_limit(result)) {
    judgement.notes.push_back(
        fmt::format("both ends were over {} busy: rate and latency are those of the pair",
                    format_share(kGeneratorBusyPctMax)));
    return;
  }
  judgement.reasons.push_back(
      fmt::format("the generator itself was {} busy: rate and latency may be its own, not the "
                  "server's; give it more threads or processors",
                  format_share(busy)));
}

void judge_schedule(const RunResult& result, Judgement& judgement) {
  if (!result.pacing || !result.outcome || result.outcome->planned == 0) return;
  const Outcome& outcome = *result.outcome;
  const Pacing& pacing = *result.pacing;
  const auto weigh = [&](std::uint64_t count, const char* what) {
    if (count == 0) return;
    const double share = percent_of(count, outcome.planned);
    auto& list = share > kScheduleMissedPctMax ? judgement.reasons : judgement.notes;
    list.push_back(fmt::format("{} of the planned messages ({}) {} {}", format_count(count),
                               format_share(share), was(count), what));
  };
  weigh(outcome.unsent, "never sent");
  weigh(pacing.overdue, "sent behind time by the generator itself: the schedule was not kept");
  weigh(outcome.lost, "never answered in time; percentiles count them as later than any");
  const std::uint64_t held = pacing.behind - std::min(pacing.behind, pacing.overdue);
  if (percent_of(held, outcome.planned) > kScheduleMissedPctMax) {
    judgement.notes.push_back(
        fmt::format("{} {} sent behind time because the connection still waited for the server; "
                    "the wait is in the latency",
                    format_counted(held, "message"), was(held)));
  }
}

double held_up_pct(const RunResult& result) {
  const double seconds = result.totals.seconds * std::max(1U, result.cpu.threads);
  return result.loop && seconds > 0 ? 100 * result.loop->held_up_s / seconds : 0;
}

// A loop without a plan sends less while it stands still.
void judge_stops(const RunResult& result, Judgement& judgement) {
  const double pct = held_up_pct(result);
  if (result.pacing || pct <= kHeldUpPctMax) return;
  judgement.reasons.push_back(fmt::format(
      "the generator did not listen for {} of the time, {} at the longest: it was stopped, had no "
      "processor, or was busy; the rate is its own",
      format_share(pct), format_time(static_cast<double>(result.loop->gap_max))));
}

// Percentiles that are longer by the generator's own lateness. In a closed loop that fills both
// ends each reply waits its turn in every batch, and that is the pair; only a loop that was held up
// is to blame.
void judge_percentiles(const RunResult& result, Judgement& judgement) {
  if (!result.least || (!result.pacing && held_up_pct(result) <= kScheduleMissedPctMax)) return;
  const auto latency = restore(result.latency);
  const auto least = restore(*result.least);
  if (!latency || !least) return;
  std::string own, own_tail;
  for (const Percentile& percentile : result.latency.percentiles) {
    if (percentile.percent >= 100) continue;
    const Nanoseconds all = latency->percentile(percentile.percent);
    const Nanoseconds without = least->percentile(percentile.percent);
    if (all <= without + kOwnLatenessMin) continue;
    if (100 * static_cast<double>(all - without) <= kOwnPctMax * static_cast<double>(all)) continue;
    std::string& list = percentile.percent > 99 ? own_tail : own;
    list += fmt::format("{}p{} {} instead of {}", list.empty() ? "" : ", ", percentile.percent,
                        format_time(static_cast<double>(all)),
                        format_time(static_cast<double>(without)));
  }
  constexpr const char* kText = "by the generator's own lateness: {}";
  if (!own.empty()) judgement.reasons.push_back(fmt::format(kText, own));
  if (!own_tail.empty()) judgement.notes.push_back(fmt::format(kText, own_tail));
}

// With a rate, judge_schedule() says what was lost.
void judge_datagrams(const RunResult& result, Judgement& judgement) {
  const auto& outcome = result.outcome;
  const auto& delivery = result.delivery;
  if (outcome && delivery && outcome->sent > 0) {
    const double lost = percent_of(outcome->lost, outcome->sent);
    if (outcome->lost > 0 && !result.pacing) {
      auto& list = lost > kScheduleMissedPctMax ? judgement.reasons : judgement.notes;
      list.push_back(
          fmt::format("{} of the messages sent ({}) {} never answered in time; "
                      "percentiles count them as later than any",
                      format_count(outcome->lost), format_share(lost), was(outcome->lost)));
    }
    const auto note = [&](std::uint64_t count, const char* what) {
      if (count > 0)
        judgement.notes.push_back(fmt::format("{} {}", format_counted(count, "answer"), what));
    };
    note(delivery->reordered, "came behind one to a later message");
    note(delivery->duplicated, "came more than once");
  }
  if (const auto& datagrams = result.totals.datagrams; datagrams && datagrams->dropped > 0) {
    judgement.notes.push_back(
        fmt::format("the kernel dropped {} for which {} had no room in its sockets; "
                    "--rcvbuf gives them more",
                    format_counted(datagrams->dropped, "datagram"), result.tool));
  }
}

void judge_place(const RunResult& result, Judgement& judgement) {
  if (!result.core_distance) return;
  const auto [before, after] = *result.core_distance;
  if (same_place(before, after)) return;
  judgement.notes.push_back(
      fmt::format("the processors were {} ns apart before and {} ns after (a cache line there and "
                  "back): the figures of two places are mixed",
                  before, after));
}

// A benchmark measures the machine's other work as well; without the server's share nobody can
// tell.
void judge_others(const RunResult& result, Judgement& judgement) {
  if (result.role == Role::generator && !result.server_cpu) return;
  if (result.role == Role::server || result.totals.seconds <= 0) return;
  const double seconds = result.totals.seconds;
  double ours = result.cpu.pct(seconds);
  if (result.server_cpu) ours += result.server_cpu->pct(seconds);
  const double others = result.machine.busy_pct * result.host.cores_online - ours;
  if (others > kOthersBusyPctMax) {
    judgement.notes.push_back(
        fmt::format("other processes took {} of a core meanwhile: the machine was not idle",
                    format_share(others)));
  }
}

void judge_errors(const RunResult& result, Judgement& judgement) {
  const std::uint64_t errors = result.totals.errors_sum();
  if (errors == 0) return;
  std::string kinds;
  for (const auto& [kind, count] : result.totals.errors) {
    if (count > 0) kinds += (kinds.empty() ? "" : ", ") + kind + " " + format_count(count);
  }
  const bool allowed = errors <= result.totals.errors_allowed;
  (allowed ? judgement.notes : judgement.reasons)
      .push_back(fmt::format("{} ({})", format_counted(errors, "error"), kinds));
}

void judge_samples(const RunResult& result, Judgement& judgement) {
  const LatencySummary& latency = result.latency;
  if (latency.count == 0) {
    judgement.reasons.push_back("no message was measured");
    return;
  }
  double highest = 99;
  for (const Percentile& percentile : latency.percentiles) {
    if (percentile.percent < 100) highest = std::max(highest, percentile.percent);
  }
  // The p99 is what a run is quoted by. Rounded as summarize() does, so that a line it kept is not
  // doubted for half a value.
  for (const double percent : {99., highest}) {
    const double beyond = std::round(static_cast<double>(latency.count) * (100 - percent) / 100);
    if (beyond >= kSamplesBeyondMin) continue;
    (percent > 99 ? judgement.notes : judgement.reasons)
        .push_back(fmt::format("p{} rests on {:.0f} of {}: run longer to trust it", percent, beyond,
                               format_counted(latency.count, "value")));
    break;
  }
  if (latency.clamped > 0) {
    judgement.notes.push_back(fmt::format("{} over an hour, counted as an hour",
                                          format_counted(latency.clamped, "latency value")));
  }
}

// What a slower program measured says nothing of a release.
void judge_build(const RunResult& result, Judgement& judgement) {
  if (!result.host.build) return;
  for (const std::string& reason : measure::slowed_by(*result.host.build))
    judgement.notes.push_back("built slower than a release: " + reason);
}

}  // namespace

bool generator_was_limit(const RunResult& result) {
  const bool overdue =
      result.pacing && result.outcome &&
      percent_of(result.pacing->overdue, result.outcome->planned) > kScheduleMissedPctMax;
  return overdue || busy_pct_of(result) > kGeneratorBusyPctMax;
}

Judgement judge(const RunResult& result) {
  Judgement judgement;
  judge_generator(result, judgement);
  judge_schedule(result, judgement);
  judge_stops(result, judgement);
  judge_percentiles(result, judgement);
  judge_datagrams(result, judgement);
  judge_errors(result, judgement);
  if (result.totals.connections < result.totals.connections_asked) {
    judgement.reasons.push_back(
        fmt::format("only {} of {} opened", format_count(result.totals.connections),
                    format_counted(result.totals.connections_asked, "connection")));
  }
  if (result.machine.steal_pct > kStealPctMax) {
    judgement.reasons.push_back(
        fmt::format("the hypervisor took {} of the processors' time away (steal)",
                    format_share(result.machine.steal_pct)));
  }
  judge_samples(result, judgement);
  judge_others(result, judgement);
  judge_place(result, judgement);
  judge_build(result, judgement);
  return judgement;
}

void pass_verdict(RunResult& result) {
  Judgement judgement = judge(result);
  std::vector<std::string>& warnings = result.warnings;
  warnings.insert(warnings.begin(), judgement.reasons.begin(), judgement.reasons.end());
  warnings.insert(warnings.end(), judgement.notes.begin(), judgement.notes.end());
  if (result.role == Role::generator) result.verdict = Verdict{std::move(judgement.reasons)};
}

}  // namespace wiremark::report
