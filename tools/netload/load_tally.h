// What the threads of a load count, and samples of it and of what both ends spend.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "load/counts.h"
#include "measure/processor_wait.h"
#include "net/reactor_options.h"
#include "net/stop.h"
#include "netload/cost_watch.h"
#include "report/interval.h"
#include "shared_gaps.h"

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
  /// Asks each thread since when the message waits that waits longest, and the answer, which it
  /// gives at its next turn; none where none waits, a thread has no time to say for as long as
  /// `patience`, or the load is over.
  void ask_oldest() const;
  std::optional<Nanoseconds> oldest_since(const net::Stop& over, Nanoseconds patience) const;
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
  SharedGaps::Sum server_gaps;  ///< Only in the first of them, of a netecho that we started.
};

/// Taken by the control thread while the workers count. `reactor` is what their reactors say.
LoadSample take_sample(const LoadTally& tally, const net::ReactorStats& reactor);

}  // namespace wiremark::tools
