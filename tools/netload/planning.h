// What the user's options come to: the plan of a load, and what it sends.
#pragma once

#include "netload/load_plan.h"
#include "netload/run.h"
#include "netload/traffic_plan.h"

namespace wiremark::tools {

/// Errors: more messages, planned or under way, than can be kept.
Result<LoadPlan> plan_load(const LoadOptions& options, const net::Address& target);

/// Errors: an input file that cannot be read, or a line of it that the format cannot carry.
Result<TrafficPlan> plan_traffic(const LoadOptions& options);

}  // namespace wiremark::tools
