// What the user's options come to: the plan of a load.
#pragma once

#include "load/plan/plan.h"
#include "netload/load_options.h"

namespace wiremark::tools {

/// Errors: more messages, planned or under way, than can be kept.
Result<load::Plan> plan_load(const LoadOptions& options, const net::Address& target);

}  // namespace wiremark::tools
