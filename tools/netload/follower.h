// What the control thread sees of a run: a sample at each end of it, and what it tells in between.
#pragma once

#include <optional>
#include <vector>

#include "load/plan/plan.h"
#include "load/start_gate.h"
#include "netload/hdr_log.h"
#include "netload/load_options.h"
#include "netload/load_tally.h"
#include "netload/worker_counts.h"
#include "segment_tally.h"
#include "signals.h"

namespace wiremark::tools {

/// What is read while the workers write it.
struct Watched {
  const load::Plan& plan;
  const LoadTally& tally;
  SegmentTallies& segments;
  const std::vector<WorkerCounts>& reactors;
  CostWatch& costs;
  const SharedGaps* server_gaps;  ///< Of a netecho that we started; null for any other.
};

/// Prints lines, snapshots and progress as `options` ask for, and keeps the log of histograms.
class Follower {
 public:
  Follower(const LoadOptions& options, const Watched& run);

  /// Opens the gate, for the moment `agreed` on or for one that is near, and follows the run to its
  /// end.
  void follow(std::optional<Nanoseconds> agreed, load::StartGate& gate, const net::Stop& stop,
              Signals& signals);
  /// After the workers have ended, whose last counts of segments are still to come.
  void finish();

  Nanoseconds measure_from() const noexcept { return measure_from_; }
  const LoadSample& first() const noexcept { return first_; }
  /// At the end of the time that was asked for, or where it never came as last().
  const LoadSample& end() const noexcept { return end_; }
  const LoadSample& last() const noexcept { return last_; }
  const std::vector<report::Interval>& intervals() const noexcept { return intervals_; }
  /// The log of histograms of the run that `result` is of; empty where none was asked for.
  std::string hdr_log(const report::RunResult& result) const {
    return log_ ? log_->text(result) : std::string();
  }

 private:
  void begin(std::optional<Nanoseconds> agreed, load::StartGate& gate, const net::Stop& stop);
  LoadSample sample() const;
  LoadSample sample_with_costs() const;
  Nanoseconds asked_end() const noexcept {
    return run_.plan.duration > 0 ? measure_from_ + run_.plan.duration : kNever;
  }
  void show_progress() const;

  const LoadOptions& options_;
  Watched run_;
  Nanoseconds measure_from_ = 0;
  LoadSample first_;
  LoadSample end_;
  LoadSample last_;
  std::vector<report::Interval> intervals_;
  std::optional<HdrLog> log_;
};

}  // namespace wiremark::tools
