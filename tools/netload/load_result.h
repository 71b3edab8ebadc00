// The result of a load, from what it counted and spent.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "load/exchange/exchange.h"
#include "load/plan/plan.h"
#include "netload/cost_watch.h"
#include "netload/load_options.h"
#include "netload/load_tally.h"
#include "netload/target.h"
#include "report/result.h"

namespace wiremark::tools {

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
