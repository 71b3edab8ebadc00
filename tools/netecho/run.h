// One run of netecho: its threads' counts, and the result they add up to.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "measure/cpu_usage.h"
#include "measure/processor_wait.h"
#include "netecho/echo.h"
#include "netecho/echo_options.h"
#include "netecho/staged.h"
#include "report/interval.h"
#include "report/result.h"
#include "segment_tally.h"
#include "shared_gaps.h"
#include "signals.h"

namespace wiremark::tools {

/// Owned by the control thread; each worker writes the counts of its own index.
class EchoRun {
 public:
  /// From start() on the loops count their gaps there.
  void count_gaps_in(SharedGaps gaps) { gaps_.emplace(std::move(gaps)); }

  /// Makes the counts and takes the first samples, before the workers start. With an interval the
  /// workers count their segments for each live line.
  void start(net::Backend backend, std::size_t threads, Nanoseconds interval);

  EchoCounts& counts(std::size_t index) { return *counts_[index]; }
  SegmentTally& segments(std::size_t index) { return (*segments_)[index]; }

  /// Prints the live lines until the stop or the end of the duration.
  void watch(const EchoOptions& options, const net::Stop& stop, Signals& signals);

  /// Keeps what the stages of a staged server counted; call it before result().
  void keep(const StageCounts& counts);

  /// The result, once the workers have ended.
  report::RunResult result(const EchoOptions& options, const std::vector<std::string>& arguments);

 private:
  report::Snapshot sample() const;
  void take_wait();

  net::Backend backend_ = net::Backend::automatic;
  std::vector<std::unique_ptr<EchoCounts>> counts_;
  std::optional<SegmentTallies> segments_;
  std::optional<SharedGaps> gaps_;
  std::chrono::system_clock::time_point started_at_;
  report::Snapshot first_;
  std::optional<measure::MachineUsage> machine_;
  std::optional<report::ProcessorWait> wait_;
  std::vector<measure::Throttling> throttling_;
  std::optional<report::Stages> stages_;
  std::vector<report::Interval> intervals_;
};

}  // namespace wiremark::tools
