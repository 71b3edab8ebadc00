// A ratio and its interval as a bar in one line, for a terminal.
#pragma once

#include <string>

#include "measure/ratio.h"
#include "report/latency_shape.h"

namespace wiremark::report {

/// How far from 1 an axis must go both ways to hold `ratio`, as a factor above 1. An axis of no
/// less than 5 % keeps a ratio near 1 from looking like much.
double axis_reach(const measure::MedianInterval& ratio);

/// "──●──  │       ": the median on the line of its interval, and where 1 is, on a logarithmic axis
/// of 25 columns from 1 / reach to reach. Empty without letters.
std::string ratio_bar(const measure::MedianInterval& ratio, double reach, Letters letters);

}  // namespace wiremark::report
