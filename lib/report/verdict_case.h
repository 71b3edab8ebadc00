// A result on trial: the figures that are judged, what was said so far, and the rules.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "measure/histogram.h"
#include "report/verdict.h"

namespace wiremark::report {

using Figures = std::vector<std::string>;

// A figure is taken for the server's while what disturbed it has changed it by no more than this.
inline constexpr double kOwnPctMax = 10;
// A generator that is busier than this may be what limited the run, instead of the server.
inline constexpr double kGeneratorBusyPctMax = 90;
// A generator that sends a larger share of its messages late by its own doing is at its limit: so
// many decide the p99.
inline constexpr double kOverduePctMax = 1;

inline double percent_of(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }
inline double percent_of(std::uint64_t part, std::uint64_t whole) {
  return percent_of(static_cast<double>(part), static_cast<double>(whole));
}

/// Whether other machines may have had a part in it: their processors are not known.
inline bool is_of_several(const RunResult& result) {
  return result.generators && result.generators->size() > 1;
}

/// The rules have a file for each kind: what the load did (verdict_load.cpp), what came back
/// (verdict_answers.cpp), what the machine did meanwhile (verdict_machine.cpp), and what no run can
/// have measured (verdict_bounds.cpp).
class Case {
 public:
  explicit Case(const RunResult& result);

  Judgement judge();
  /// What the machine did to its figures.
  Judgement judge_machine();
  /// What no run can have measured.
  Judgement judge_bounds();

 private:
  // Adds a percentile to the figures that are judged; false where it is among them, or the maximum.
  bool add(double percent);

  // A sentence that speaks against none of the figures is a note. A server has no figures that are
  // judged: there it is a doubt all the same, which becomes a warning.
  void doubt(Figures figures, std::string reason);
  void note(std::string text) { judgement_.notes.push_back(std::move(text)); }

  const Figures& all() const { return judgement_.figures; }
  Figures percentiles() const;
  Figures all_but_cost() const;
  // Without a plan the rate is as high as both ends allow; with a plan it is the plan's.
  Figures rate_of_closed_loop() const { return result_.pacing ? Figures() : Figures{kRate}; }
  // The percentiles that would be lower by more than is_own() allows if `share_pct` of the messages
  // had taken no time. Something that befell so many messages can have moved no other percentile.
  Figures moved_by(double share_pct) const;
  // The figures to doubt where something stood still for `share_pct` of the time: the rate of a
  // closed loop over 10 %, and the percentiles that twice the share moves.
  Figures hit_for(double share_pct) const;

  void judge_generator();
  void judge_schedule();
  void judge_lost();
  void judge_stops();
  void judge_own_lateness();
  void judge_hidden_stall();
  void judge_datagrams();
  void judge_answers_without_ids();
  void judge_errors();
  void judge_successes();
  void judge_generators_lost();
  void judge_samples();

  void judge_server_stops();
  void judge_waits();
  void judge_wait(const std::optional<ProcessorWait>& wait, const CpuShare& cpu, const char* end);
  void judge_steal();
  void judge_others();
  void judge_other_clients();
  void judge_place();
  void judge_build();

  std::pair<Figures, std::string> percentiles_where(
      const std::function<bool(Nanoseconds)>& is_such) const;
  void judge_costs();
  void judge_processors();
  void judge_counts();
  void judge_answered();
  void judge_fastest();
  void judge_slowest();
  void judge_under_way();

  const RunResult& result_;
  measure::Histogram latency_;
  Figures never_;  ///< Percentiles that fall on messages without an answer, and so have no value.
  Judgement judgement_;
};

}  // namespace wiremark::report
