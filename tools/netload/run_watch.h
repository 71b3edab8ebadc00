// What the control thread sees of a run: a sample at each end of it, and what it tells in between.
#pragma once

#include <optional>
#include <vector>

#include "load/start_gate.h"
#include "netload/hdr_log.h"
#include "netload/load_result.h"
#include "netload/watched_reactor.h"
#include "segment_tally.h"

namespace wiremark::tools {

/// What is read while the workers write it.
struct Watched {
  const load::Plan& plan;
  const Target& target;
  const LoadTally& tally;
  SegmentTallies& segments;
  const std::vector<WatchedReactor>& reactors;
};

/// Prints lines, snapshots and progress as `options` ask for, and keeps the log of histograms.
class RunWatch {
 public:
  RunWatch(const LoadOptions& options, const Watched& run) : options_(options), run_(run) {}

  /// Before the run, so that a log that cannot be written ends it at once. Errors: that.
  Result<> open_log();
  /// Opens the gate at `start` and follows the run to its end.
  void follow(Nanoseconds start, load::StartGate& gate, const net::Stop& stop, Signals& signals);
  /// After the workers have ended, whose last counts of segments are still to come. Errors: the log
  /// is not whole.
  Result<> finish();

  const LoadSample& first() const noexcept { return first_; }
  const LoadSample& last() const noexcept { return last_; }
  const std::vector<report::Interval>& intervals() const noexcept { return intervals_; }

 private:
  LoadSample sample() const;
  void show_progress() const;

  const LoadOptions& options_;
  Watched run_;
  LoadSample first_;
  LoadSample last_;
  std::vector<report::Interval> intervals_;
  std::optional<HdrLog> log_;
};

}  // namespace wiremark::tools
