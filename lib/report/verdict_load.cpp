// The rules about the load: whether the generator kept its plan, and what became of the messages.
#include <fmt/core.h>

#include <algorithm>

#include "measure/quantity.h"
#include "report/verdict_case.h"

namespace wiremark::report {

using namespace measure;

namespace {

// A percentile may always be longer by this: a timer may fire 50 us late (its slack, prctl(2),
// PR_SET_TIMERSLACK), and the thread that it wakes may take as long again to run.
constexpr Nanoseconds kOwnLatenessMin = 100 * kMicrosecond;
// A shorter stop decides no percentile that is printed: beyond p99.99 lie 0.01 % of the messages.
constexpr double kTimeSharePctMin = 0.01;
// What arrives while something stands still is worked off later, beside what arrives then. In a
// loop that is half busy this takes as long again as the stop: twice its share of messages is late.
constexpr double kCatchUp = 2;
// The latencies of a closed loop are compared with those without the generator's lateness only if
// its loops did not listen for more than this share of the time.
constexpr double kClosedHeldUpPctMin = 1;

const char* was(std::uint64_t count) { return count == 1 ? "was" : "were"; }

// Percent of the processors that its threads can fill, which threads that spin always do.
double filled_pct_of(const RunResult& result) {
  unsigned cores = std::max(1U, result.cpu.threads);
  if (result.host.cores_allowed > 0 && !is_of_several(result))
    cores = std::min(cores, result.host.cores_allowed);
  return result.cpu.pct(result.totals.seconds) / cores;
}

// The same, of work: of threads that spin nobody knows it, and it is 0.
double busy_pct_of(const RunResult& result) { return result.spins ? 0 : filled_pct_of(result); }

double overdue_pct_of(const RunResult& result) {
  if (!result.pacing || !result.outcome) return 0;
  return percent_of(result.pacing->overdue, result.outcome->sent);
}

// Over 90 % busy, the server of a closed loop is what limits its rate, and so is what was measured.
bool server_was_limit(const RunResult& result) {
  if (result.pacing || !result.server_cpu) return false;
  const double busy = result.server_cpu->pct(result.totals.seconds);
  return busy / std::max(1U, result.server_cpu->threads) > kGeneratorBusyPctMax;
}

// Whether `all` is longer than `without` by over 100 us and by over 10 % of itself, so that the
// difference is what was measured.
bool is_own(Nanoseconds all, Nanoseconds without) {
  if (all <= without + kOwnLatenessMin) return false;
  return percent_of(all - without, all) > kOwnPctMax;
}

// The share of the time in which the generator's loops did not listen: gaps of 1 ms or more.
double held_up_pct(const RunResult& result) {
  const double seconds = result.totals.seconds * std::max(1U, result.cpu.threads);
  return result.loop ? percent_of(result.loop->held_up_s, seconds) : 0;
}

}  // namespace

Case::Case(const RunResult& result) : result_(result) {
  if (auto latency = restore(result.latency)) latency_ = std::move(*latency);
  if (result.role == Role::server) return;
  judgement_.figures = {kRate};
  for (const Percentile& percentile : result.latency.percentiles) add(percentile.percent);
  // The latency leaves out percentiles that fall on messages without an answer; `least`, which has
  // only answered messages, still names them.
  if (result.least && result.latency.unanswered.value_or(0) > 0) {
    for (const Percentile& percentile : result.least->percentiles)
      if (add(percentile.percent)) never_.push_back(percentile_name(percentile.percent));
  }
  judgement_.figures.emplace_back(kCost);
}

bool Case::add(double percent) {
  const std::string name = percentile_name(percent);
  const auto& known = judgement_.figures;
  if (percent >= 100 || std::ranges::find(known, name) != known.end()) return false;
  judgement_.figures.push_back(name);
  return true;
}

void Case::doubt(Figures figures, std::string reason) {
  if (figures.empty() && result_.role != Role::server) return note(std::move(reason));
  judgement_.doubts.push_back({std::move(reason), std::move(figures)});
}

Figures Case::all_but_cost() const {
  Figures names = all();
  std::erase(names, kCost);
  return names;
}

Figures Case::percentiles() const {
  Figures names = all_but_cost();
  std::erase(names, kRate);
  return names;
}

Figures Case::moved_by(double share_pct) const {
  Figures moved;
  for (const Percentile& percentile : result_.latency.percentiles) {
    if (percentile.percent >= 100) continue;
    const auto at = [&](double percent) {
      if (percent <= 0) return latency_.min();
      return percentile_of(latency_, percent, result_.latency.unanswered).value_or(latency_.max());
    };
    if (is_own(at(percentile.percent), at(percentile.percent - share_pct)))
      moved.push_back(percentile_name(percentile.percent));
  }
  return moved;
}

Figures Case::hit_for(double share_pct) const {
  Figures hit;
  if (share_pct > kOwnPctMax) hit = rate_of_closed_loop();
  if (share_pct < kTimeSharePctMin) return hit;
  for (std::string& name : moved_by(kCatchUp * share_pct)) hit.push_back(std::move(name));
  return hit;
}

// Over 90 % busy the generator may have been the limit: against the percentiles, and the rate of a
// closed loop. If the server of a closed loop was over 90 % busy too, that is only noted.
void Case::judge_generator() {
  if (result_.role != Role::generator) return;
  if (result_.spins && !result_.pacing)
    note("the generator spins and has no plan: nothing shows whether it was the limit");
  const double busy = busy_pct_of(result_);
  if (busy <= kGeneratorBusyPctMax) return;
  if (server_was_limit(result_)) {
    return note(fmt::format("both ends were over {} busy: rate and latency are those of the pair",
                            format_share(kGeneratorBusyPctMax)));
  }
  Figures its = rate_of_closed_loop();
  for (std::string& name : percentiles()) its.push_back(std::move(name));
  doubt(std::move(its),
        fmt::format("the generator itself was {} busy and may be the limit, not the server; give "
                    "it more threads or processors",
                    format_share(busy)));
}

// The messages that were not sent, or sent late by the generator's own doing: against the
// percentiles that so large a share of the plan moves, and over 10 % of the plan against the rate.
// What was late because its connection still waited for a reply is the server's, and noted from 1 %
// of the plan on.
void Case::judge_schedule() {
  if (!result_.pacing || !result_.outcome || result_.outcome->planned == 0) return;
  const Outcome& outcome = *result_.outcome;
  const auto weigh = [&](std::uint64_t count, const char* what, bool never) {
    if (count == 0) return;
    const double share = percent_of(count, outcome.planned);
    Figures figures = moved_by(share);
    if (share > kOwnPctMax) figures.emplace_back(kRate);
    if (never) figures.insert(figures.end(), never_.begin(), never_.end());
    doubt(std::move(figures),
          fmt::format("{} of the planned messages ({}) {} {}", format_count(count),
                      format_share(share), was(count), what));
  };
  weigh(outcome.unsent, "never sent", true);
  weigh(result_.pacing->overdue,
        "sent behind time by the generator itself: the schedule was not kept", false);
  const std::uint64_t behind = result_.pacing->behind;
  const std::uint64_t held = behind - std::min(behind, result_.pacing->overdue);
  if (percent_of(held, outcome.planned) > kOverduePctMax) {
    note(
        fmt::format("{} {} sent behind time because the connection still waited for the server; "
                    "the wait is in the latency",
                    format_counted(held, "message"), was(held)));
  }
}

// The messages that were not answered in time: against the percentiles that fall on them, and over
// 10 % of those sent against the cost, since they took their part of the server's time. Without a
// plan a connection that waits for a lost answer sends nothing else: over 10 % of the connections'
// time (seconds times connections) waited so speaks against the rate.
void Case::judge_lost() {
  if (!result_.outcome || result_.outcome->lost == 0) return;
  const Outcome& outcome = *result_.outcome;
  const double share = percent_of(outcome.lost, outcome.sent);
  Figures figures = never_;
  if (share > kOwnPctMax) figures.emplace_back(kCost);
  std::string waited;
  if (!result_.pacing && result_.delivery && result_.delivery->lost_wait_s) {
    const double connections_s =
        result_.totals.seconds * static_cast<double>(result_.totals.connections);
    const double pct = percent_of(*result_.delivery->lost_wait_s, connections_s);
    if (pct > kOwnPctMax) figures.emplace_back(kRate);
    waited = fmt::format(", and connections waited {} of the time for them", format_share(pct));
  }
  doubt(
      std::move(figures),
      fmt::format("{} of the {} ({}) {} never answered in time; percentiles count them as later "
                  "than any{}",
                  format_count(outcome.lost), result_.pacing ? "planned messages" : "messages sent",
                  format_share(share), was(outcome.lost), waited));
}

// A run that was given up says nothing of the time that was asked for: against all. A closed loop
// sends nothing while it does not listen: over 10 % of its threads' time speaks against the rate.
void Case::judge_stops() {
  if (!result_.loop) return;
  if (const auto& left = result_.loop->given_up_s) {
    doubt(all(), fmt::format("the run was given up {} before its end: no connection was left, "
                             "or could be opened for --timeout",
                             format_time(*left * kSecond)));
  }
  const double pct = held_up_pct(result_);
  if (result_.pacing || pct <= kOwnPctMax) return;
  doubt({kRate},
        fmt::format("the generator did not listen for {} of the time, {} at the longest: "
                    "it was stopped, had no processor, or was busy; the rate is its own",
                    format_share(pct), format_time(static_cast<double>(result_.loop->gap_max))));
}

// The percentiles that are longer by the generator's own lateness, against each by itself: latency
// compared with `least`, which is the same without that lateness, of the answered messages. In a
// closed loop that fills both ends each reply waits its turn in every batch, and that belongs to
// the pair; there it counts only if the loops did not listen for over 1 % of the time.
void Case::judge_own_lateness() {
  if (!result_.least) return;
  if (!result_.pacing && held_up_pct(result_) <= kClosedHeldUpPctMin) return;
  const auto least = restore(*result_.least);
  if (!least) return;
  Figures own;
  std::string values;
  for (const Percentile& percentile : result_.latency.percentiles) {
    if (percentile.percent >= 100) continue;
    const auto without = percentile_of(*least, percentile.percent, result_.latency.unanswered);
    if (!without || !is_own(percentile.ns, *without)) continue;
    own.push_back(percentile_name(percentile.percent));
    values += fmt::format("{}{} {} instead of {}", values.empty() ? "" : ", ", own.back(),
                          format_time(static_cast<double>(percentile.ns)),
                          format_time(static_cast<double>(*without)));
  }
  if (!own.empty())
    doubt(std::move(own), fmt::format("by the generator's own lateness: {}", values));
}

// A connection of a closed loop sends nothing while it waits. A stall, however long, is then one
// slow answer for each connection, and no percentile shows it; the waited time does. Over 10 % of
// the sum of all latencies beyond the highest percentile speaks against all percentiles.
void Case::judge_hidden_stall() {
  if (result_.role != Role::generator || result_.pacing) return;
  Percentile last;
  for (const Percentile& percentile : result_.latency.percentiles) {
    if (percentile.percent < 100 && percentile.percent > last.percent) last = percentile;
  }
  double beyond = 0, all = 0;
  latency_.for_each([&](const Histogram::Bucket& bucket) {
    const double waited = static_cast<double>(bucket.middle()) * static_cast<double>(bucket.count);
    all += waited;
    if (bucket.lowest > last.ns) beyond += waited;
  });
  const double pct = percent_of(beyond, all);
  if (last.percent == 0 || pct <= kOwnPctMax) return;
  doubt(percentiles(),
        fmt::format("connections waited {} of their time for answers beyond {}, up to {}: a closed "
                    "loop does not show such a stall; give a rate",
                    format_share(pct), percentile_name(last.percent),
                    format_time(static_cast<double>(latency_.max()))));
}

Judgement Case::judge() {
  judge_generator();
  judge_schedule();
  judge_lost();
  judge_stops();
  judge_server_stops();
  judge_own_lateness();
  judge_hidden_stall();
  judge_waits();
  judge_steal();
  judge_datagrams();
  judge_answers_without_ids();
  judge_errors();
  judge_successes();
  judge_generators_lost();
  judge_samples();
  judge_others();
  judge_other_clients();
  judge_place();
  judge_build();
  return std::move(judgement_);
}

std::string percentile_name(double percent) { return fmt::format("p{}", percent); }

bool generator_was_limit(const RunResult& result) {
  return overdue_pct_of(result) > kOverduePctMax || busy_pct_of(result) > kGeneratorBusyPctMax;
}

bool generator_was_full(const RunResult& result) {
  const double filled = filled_pct_of(result);
  if (filled <= kGeneratorBusyPctMax || !result.spins) return filled > kGeneratorBusyPctMax;
  // What comes due while it has no processor is overdue, and as much again until it has caught up.
  return overdue_pct_of(result) > kOverduePctMax + kCatchUp * std::max(0., 100 - filled);
}

Judgement judge(const RunResult& result) { return Case(result).judge(); }

}  // namespace wiremark::report
