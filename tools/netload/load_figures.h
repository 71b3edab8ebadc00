// What a load that is over counted, as figures of its result. Nothing here asks the kernel: a
// simulated load has the same.
#pragma once

#include <span>

#include "load/plan/plan.h"
#include "netload/load_tally.h"
#include "report/result.h"

namespace wiremark::tools {

/// The plan of a load, what its threads counted, and when.
struct CountedLoad {
  const load::Plan& plan;
  const LoadTally& tally;
  bool datagrams = false;
  Nanoseconds measure_from = 0;
  Nanoseconds ended_at = 0;
  std::span<const double> percentiles = report::kPercentiles;
};

/// 0 where `to` is not later than `from`, as where an answer came before the end.
double seconds_between(Nanoseconds from, Nanoseconds to);

/// Fills in the outcome, the rate, the latencies, how the load kept to its plan and, over UDP, what
/// else became of the messages.
void add_figures(report::RunResult& result, const CountedLoad& load);

}  // namespace wiremark::tools
