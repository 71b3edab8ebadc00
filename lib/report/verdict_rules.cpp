// The rules of the verdict: what is doubted, by which arithmetic, and which figures with it.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "measure/core_distance.h"
#include "measure/quantity.h"
#include "report/verdict.h"

namespace wiremark::report {

using namespace measure;

namespace {

using Figures = std::vector<std::string>;

// A figure is the server's while it is no more than this above, or below, what it would be without
// what disturbed it.
constexpr double kOwnPctMax = 10;
// A percentile may be longer by this in any case: a timer may be 50 us late by its slack and as
// much again by the wake (prctl(2), PR_SET_TIMERSLACK), on any machine.
constexpr Nanoseconds kOwnLatenessMin = 100 * kMicrosecond;
// A generator busier than this may be what was measured, instead of the server.
constexpr double kGeneratorBusyPctMax = 90;
// Less than this share of the time decides no percentile that is printed.
constexpr double kTimeSharePctMin = 0.01;
// What comes in while something stands still is done behind it, beside what comes in then: as long
// again in a loop that is half busy.
constexpr double kCatchUp = 2;
// Given a processor this soon, a thread has not waited: on an idle one a wake takes 1.6 us here.
constexpr double kWakeS = 5e-6;
// From this share on the latencies of a closed loop are held against those without its lateness.
constexpr double kClosedHeldUpPctMin = 1;
// Behind by more of its plan than this, a generator is at its limit: it decides the p99.
constexpr double kOverduePctMax = 1;
// Processor time, in percent of one core, that neither end of the run accounts for.
constexpr double kOthersBusyPctMax = 20;
// Fewer values beyond a percentile than this, and it is the luck of single values.
constexpr double kSamplesBeyondMin = 10;
// A count of n varies by its square root, which is kOwnPctMax of a hundred.
constexpr std::uint64_t kMessagesMin = 100;
// Processors that share a cache and such that do not are five times as far apart, and a message
// costs three times as much; within one place it is less than same_distance() allows.
constexpr double kOtherPlaceFactor = 3;

double percent_of(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }
double percent_of(std::uint64_t part, std::uint64_t whole) {
  return percent_of(static_cast<double>(part), static_cast<double>(whole));
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
  const double busy = result.server_cpu->pct(result.totals.seconds);
  return busy / std::max(1U, result.server_cpu->threads) > kGeneratorBusyPctMax;
}

// Whether `without` is so much less that the rest of `all` is what was measured.
bool is_own(Nanoseconds all, Nanoseconds without) {
  if (all <= without + kOwnLatenessMin) return false;
  return percent_of(all - without, all) > kOwnPctMax;
}

// A result with the rules it is held against, and what they have said so far.
class Case {
 public:
  explicit Case(const RunResult& result) : result_(result) {
    if (auto latency = restore(result.latency)) latency_ = std::move(*latency);
    if (result.role == Role::server) return;
    judgement_.figures = {kRate};
    for (const Percentile& percentile : result.latency.percentiles) add(percentile.percent);
    // Those that fall on messages without an answer are not in the latency.
    if (result.least) {
      for (const Percentile& percentile : result.least->percentiles) {
        if (result.latency.unanswered.value_or(0) > 0 && add(percentile.percent))
          never_.push_back(percentile_name(percentile.percent));
      }
    }
    judgement_.figures.emplace_back(kCost);
  }

  Judgement judge();
  /// What the machine did to its figures.
  Judgement judge_machine();

 private:
  bool add(double percent) {
    const std::string name = percentile_name(percent);
    const auto& known = judgement_.figures;
    if (percent >= 100 || std::ranges::find(known, name) != known.end()) return false;
    judgement_.figures.push_back(name);
    return true;
  }

  // What speaks against no figure is a note.
  void doubt(Figures figures, std::string reason) {
    auto& [all, doubts, notes] = judgement_;
    if (figures.empty() && result_.role != Role::server) return notes.push_back(std::move(reason));
    doubts.push_back({std::move(reason), std::move(figures)});
  }
  void note(std::string text) { judgement_.notes.push_back(std::move(text)); }

  const Figures& all() const { return judgement_.figures; }
  Figures percentiles() const {
    Figures names;
    for (const std::string& name : all()) {
      if (name != kRate && name != kCost) names.push_back(name);
    }
    return names;
  }
  // Without a plan the rate is as high as both ends allow; with one, it is the plan's.
  Figures rate_of_closed_loop() const { return result_.pacing ? Figures() : Figures{kRate}; }

  Figures moved_by(double share_pct) const;
  Figures hit_for(double share_pct) const;

  void judge_generator();
  void judge_schedule();
  void judge_lost();
  void judge_stops();
  void judge_server_stops();
  void judge_own_lateness();
  void judge_hidden_stall();
  void judge_waits();
  void judge_wait(const std::optional<ProcessorWait>& wait, unsigned threads, const char* end);
  void judge_steal();
  void judge_datagrams();
  void judge_errors();
  void judge_place();
  void judge_samples();
  void judge_others();
  void judge_build();

  const RunResult& result_;
  Histogram latency_;
  Figures never_;
  Judgement judgement_;
};

// The percentiles that would be much lower if `share_pct` of the messages had taken no time: no
// other ones can be moved by what befell so many.
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

// What is doubted where something stood still for this share of the time.
Figures Case::hit_for(double share_pct) const {
  Figures hit;
  if (share_pct > kOwnPctMax) hit = rate_of_closed_loop();
  if (share_pct < kTimeSharePctMin) return hit;
  for (std::string& name : moved_by(kCatchUp * share_pct)) hit.push_back(std::move(name));
  return hit;
}

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

// A percentile counts them as later than any, and one that falls on them has no value. They took
// their part of the server's time; and without a plan, whoever waits for an answer asks for nothing
// else meanwhile.
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

double held_up_pct(const RunResult& result) {
  const double seconds = result.totals.seconds * std::max(1U, result.cpu.threads);
  return result.loop ? percent_of(result.loop->held_up_s, seconds) : 0;
}

// A loop without a plan sends less while it stands still.
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

// What a server works for long is its own. While its threads are not on a processor it is not the
// server that is measured, and whatever comes meanwhile waits.
void Case::judge_server_stops() {
  if (!result_.server_loop || result_.totals.seconds <= 0) return;
  const unsigned threads = result_.server_cpu ? std::max(1U, result_.server_cpu->threads) : 1;
  const double pct =
      std::min(100., percent_of(result_.server_loop->away_s, result_.totals.seconds * threads));
  Figures hit = hit_for(pct);
  if (hit.empty() && pct <= kOwnPctMax) return;
  doubt(std::move(hit),
        fmt::format("the server stood still for {} of the time, {} at the longest: it was stopped "
                    "or had no processor, which is not its own work",
                    format_share(pct),
                    format_time(static_cast<double>(result_.server_loop->gap_max))));
}

// Percentiles that are longer by the generator's own lateness. In a closed loop that fills both
// ends each reply waits its turn in every batch, and that is the pair; only a loop that was held up
// is to blame.
void Case::judge_own_lateness() {
  if (!result_.least) return;
  if (!result_.pacing && held_up_pct(result_) <= kClosedHeldUpPctMin) return;
  const auto least = restore(*result_.least);
  if (!least) return;
  Figures own;
  std::string values;
  for (const Percentile& percentile : result_.latency.percentiles) {
    if (percentile.percent >= 100) continue;
    const Nanoseconds without = least->percentile(percentile.percent);
    if (!is_own(percentile.ns, without)) continue;
    own.push_back(percentile_name(percentile.percent));
    values += fmt::format("{}{} {} instead of {}", values.empty() ? "" : ", ", own.back(),
                          format_time(static_cast<double>(percentile.ns)),
                          format_time(static_cast<double>(without)));
  }
  if (!own.empty())
    doubt(std::move(own), fmt::format("by the generator's own lateness: {}", values));
}

// Who waits for an answer asks for nothing else: a stall costs a closed loop one slow answer for
// each connection, however long it is, and no percentile shows it. The time that was waited does.
void Case::judge_hidden_stall() {
  if (result_.role != Role::generator || result_.pacing) return;
  double percent = 0;
  for (const Percentile& percentile : result_.latency.percentiles) {
    if (percentile.percent < 100) percent = std::max(percent, percentile.percent);
  }
  const Nanoseconds highest = latency_.percentile(percent);
  double beyond = 0, all = 0;
  latency_.for_each([&](const Histogram::Bucket& bucket) {
    const double waited = static_cast<double>(bucket.middle()) * static_cast<double>(bucket.count);
    all += waited;
    if (bucket.lowest > highest) beyond += waited;
  });
  const double pct = percent_of(beyond, all);
  if (percent == 0 || pct <= kOwnPctMax) return;
  doubt(percentiles(),
        fmt::format("connections waited {} of their time for answers beyond {}, up to {}: a closed "
                    "loop does not show such a stall; give a rate",
                    format_share(pct), percentile_name(percent),
                    format_time(static_cast<double>(latency_.max()))));
}

void Case::judge_waits() {
  const char* const ours = result_.role == Role::generator ? "generator" : "server";
  judge_wait(result_.wait, result_.cpu.threads, ours);
  if (result_.server_cpu) judge_wait(result_.server_wait, result_.server_cpu->threads, "server");
}

// While a thread waits for a processor, or for the next period of its quota, its end stands still.
// A server that has a quota of its own is measured under it.
void Case::judge_wait(const std::optional<ProcessorWait>& wait, unsigned threads, const char* end) {
  const double seconds = result_.totals.seconds;
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
  const double pct =
      std::min(100., percent_of(std::max(0., waited_s), seconds * std::max(1U, threads)));
  Figures hit = hit_for(pct);
  if (hit.empty() && pct <= kOwnPctMax) return;
  doubt(std::move(hit),
        fmt::format("the {} was ready and had no processor for {} of the time: others had it", end,
                    format_share(pct)));
}

// Of the time in which the processors were wanted; it shows up as latency of nobody here.
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

void Case::judge_datagrams() {
  if (const auto& delivery = result_.delivery; delivery && result_.outcome) {
    const auto tell = [&](std::uint64_t count, const char* what) {
      if (count > 0) note(fmt::format("{} {}", format_counted(count, "answer"), what));
    };
    tell(delivery->reordered, "came behind one to a later message");
    tell(delivery->duplicated, "came more than once");
  }
  if (const auto& datagrams = result_.totals.datagrams; datagrams && datagrams->dropped > 0) {
    note(
        fmt::format("the kernel dropped {} for which {} had no room in its sockets; --rcvbuf "
                    "gives them more",
                    format_counted(datagrams->dropped, "datagram"), result_.tool));
  }
}

void Case::judge_errors() {
  const Totals& totals = result_.totals;
  for (const Check& check : result_.checks) {
    if (check.name == "verify" && !check.passed)
      doubt(all(), "a reply was not what had to come: " + check.detail);
  }
  if (const std::uint64_t errors = totals.errors_sum(); errors > 0) {
    std::string kinds;
    for (const auto& [kind, count] : totals.errors) {
      if (count > 0) kinds += (kinds.empty() ? "" : ", ") + kind + " " + format_count(count);
    }
    const bool allowed = errors <= totals.errors_allowed;
    std::string text = fmt::format("{} ({})", format_counted(errors, "error"), kinds);
    allowed ? note(std::move(text)) : doubt(all(), std::move(text));
  }
  if (totals.connections < totals.connections_asked) {
    doubt(all(), fmt::format("only {} of {} opened", format_count(totals.connections),
                             format_counted(totals.connections_asked, "connection")));
  }
}

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

// A percentile by the values beyond it, rounded as summarize() does, so that a line it kept is not
// doubted for half a value.
void Case::judge_samples() {
  const LatencySummary& latency = result_.latency;
  if (latency.count == 0) return doubt(all(), "no message was measured");
  Figures few;
  double first = 0, beyond_first = 0;
  const auto messages = static_cast<double>(latency.count + latency.unanswered.value_or(0));
  for (const Percentile& percentile : latency.percentiles) {
    if (percentile.percent >= 100) continue;
    const double beyond = std::round(messages * (100 - percentile.percent) / 100);
    if (beyond >= kSamplesBeyondMin) continue;
    if (few.empty()) first = percentile.percent, beyond_first = beyond;
    few.push_back(percentile_name(percentile.percent));
  }
  if (!few.empty()) {
    doubt(std::move(few),
          fmt::format("{} rests on {:.0f} of {}: run longer to trust it", percentile_name(first),
                      beyond_first, format_counted(latency.count, "value")));
  }
  if (result_.role == Role::generator && result_.totals.messages < kMessagesMin) {
    doubt({kRate, kCost}, fmt::format("rate and cost rest on {}",
                                      format_counted(result_.totals.messages, "message")));
  }
  if (latency.clamped > 0) {
    note(fmt::format("{} over an hour, counted as an hour",
                     format_counted(latency.clamped, "latency value")));
  }
}

// A benchmark measures the machine's other work as well; without the server's share nobody can
// tell.
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

// What a slower program measured says nothing of a release.
void Case::judge_build() {
  if (!result_.host.build) return;
  for (const std::string& reason : measure::slowed_by(*result_.host.build))
    note("built slower than a release: " + reason);
}

Judgement Case::judge_machine() {
  judge_server_stops();
  judge_waits();
  judge_steal();
  return std::move(judgement_);
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
  judge_errors();
  judge_samples();
  judge_others();
  judge_place();
  judge_build();
  return std::move(judgement_);
}

}  // namespace

std::string percentile_name(double percent) { return fmt::format("p{}", percent); }

bool generator_was_limit(const RunResult& result) {
  const bool overdue = result.pacing && result.outcome &&
                       percent_of(result.pacing->overdue, result.outcome->planned) > kOverduePctMax;
  return overdue || busy_pct_of(result) > kGeneratorBusyPctMax;
}

bool machine_was_limit(const RunResult& result, const std::vector<std::string>& figures) {
  const Judgement of_machine = Case(result).judge_machine();
  return std::ranges::any_of(of_machine.doubts, [&](const Doubt& doubt) {
    return std::ranges::find_first_of(doubt.figures, figures) != doubt.figures.end();
  });
}

Judgement judge(const RunResult& result) { return Case(result).judge(); }

}  // namespace wiremark::report
