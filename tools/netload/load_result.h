// What a load counted and spent, moment by moment, and the result that it adds up to.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "load/counts.h"
#include "load/exchange/exchange.h"
#include "load/plan/plan.h"
#include "measure/processor_wait.h"
#include "netload/cost_watch.h"
#include "netload/load_options.h"
#include "netload/target.h"
#include "report/interval.h"

namespace wiremark::tools {

/// What the threads of a load count, each its own.
class LoadTally {
 public:
  explicit LoadTally(std::size_t threads);

  load::Counts& operator[](std::size_t thread) { return *counts_[thread]; }
  const load::Counts& front() const { return *counts_.front(); }
  auto begin() const { return counts_.begin(); }
  auto end() const { return counts_.end(); }

  std::uint64_t sum(Counter load::Counts::* counter) const;
  /// Asks each thread since when the message waits that waits longest, and the answer; none where
  /// none waits, or a thread has no time to say. It answers at its next turn.
  void ask_oldest() const;
  std::optional<Nanoseconds> oldest_since() const;
  measure::Histogram merged(measure::Histogram load::Counts::* histogram) const;

 private:
  std::vector<std::unique_ptr<load::Counts>> counts_;
};

/// How the threads of one end have had no processor up to a moment.
struct WaitSample {
  std::vector<measure::ThreadDelay> threads;  ///< Empty where the kernel does not say.
  std::vector<measure::Throttling> throttling;
};

/// What both ends and all threads have counted and spent up to a moment.
struct LoadSample {
  report::Snapshot seen;
  std::uint64_t held = 0;
  net::ReactorStats reactor;
  Spent spent;  ///< Only at the ends of the measured part and of the drain.
  std::optional<measure::MachineUsage> machine;
  WaitSample wait;  ///< Only in the samples at both ends of the measured part.
  WaitSample server_wait;
  SharedGaps::Sum server_gaps;  ///< As above, of a netecho that we started.
};

/// Taken by the control thread while the workers count. `reactor` is what their reactors say.
LoadSample take_sample(const LoadTally& tally, const net::ReactorStats& reactor);

/// A run that is over: how it was made, and the samples at both ends of its measured part and at
/// its last answer.
struct LoadRecord {
  const LoadOptions& options;
  const load::Plan& plan;
  const load::ExchangePlan& exchange;
  net::Backend backend;
  const Target& target;
  const LoadTally& tally;
  std::chrono::system_clock::time_point started_at;
  Nanoseconds measure_from;
  const LoadSample& first;
  const LoadSample& end;
  const LoadSample& last;
  const CostRecord& costs;
};

/// The result but for its intervals.
report::RunResult load_result(const LoadRecord& run, const std::vector<std::string>& arguments);

}  // namespace wiremark::tools
