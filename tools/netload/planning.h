// Makes the plan of a load from the user's options.
#pragma once

#include "load/plan/plan.h"
#include "netload/load_options.h"

namespace wiremark::tools {

/// Errors: more messages, planned or under way, than can be kept track of.
Result<load::Plan> plan_load(const LoadOptions& options, const net::Address& target);

}  // namespace wiremark::tools
