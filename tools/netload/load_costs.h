// What a load cost: the processors' time of both ends, and their waiting for processors.
#pragma once

#include "netload/load_result.h"

namespace wiremark::tools {

/// To be called when the totals are there.
void add_costs(report::RunResult& result, const LoadRecord& run);

}  // namespace wiremark::tools
