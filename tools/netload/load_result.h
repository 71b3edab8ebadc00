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
#include "netload/run.h"
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
  measure::Histogram merged(measure::Histogram load::Counts::* histogram) const;

 private:
  std::vector<std::unique_ptr<load::Counts>> counts_;
};

/// What both ends and all threads have counted and spent up to a moment.
struct LoadSample {
  report::Snapshot seen;
  std::uint64_t held = 0;
  net::ReactorStats reactor;
  std::optional<measure::CpuUsage> server_cpu;
  std::optional<measure::MachineUsage> machine;
};

/// Taken by the control thread while the workers count. `reactor` is what their reactors say.
LoadSample take_sample(const LoadTally& tally, const Target& target,
                       const net::ReactorStats& reactor);

/// A run that is over: how it was made, and the samples at both ends of its measured part.
struct LoadRecord {
  const LoadOptions& options;
  const load::Plan& plan;
  const load::ExchangePlan& exchange;
  net::Backend backend;
  const Target& target;
  const LoadTally& tally;
  std::chrono::system_clock::time_point started_at;
  const LoadSample& first;
  const LoadSample& last;
};

/// The result but for its intervals.
report::RunResult load_result(const LoadRecord& run, const std::vector<std::string>& arguments);

}  // namespace wiremark::tools
