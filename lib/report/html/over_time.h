// A run over time as pictures: latency, rate, errors and processor time of its intervals.
#pragma once

#include <span>

#include "report/html.h"
#include "report/html/page.h"

namespace wiremark::report {

/// Adds the pictures that the intervals of `runs` allow, all on the same axes; if no run has
/// intervals, a sentence that says how to get some.
void add_over_time(Page& page, std::span<const NamedRun> runs);

}  // namespace wiremark::report
