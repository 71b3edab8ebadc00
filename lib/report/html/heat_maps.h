// Latency over time as heat maps.
#pragma once

#include <span>

#include "report/html/page.h"
#include "report/html/timeline.h"

namespace wiremark::report {

/// A map for each run, on the same axes. All columns have a histogram.
void add_heat_maps(Page& page, std::span<const Timeline> lines);

}  // namespace wiremark::report
