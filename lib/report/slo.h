// What a service promises, such as a p99 below 2 ms, and whether a run kept it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/result.h"

namespace wiremark::report {

/// One promise: a percentile, the mean or the maximum of the latency, or the number of errors, and
/// what it must stay below.
struct Objective {
  enum class Figure { percentile, mean, max, errors };

  Figure figure = Figure::percentile;
  double percent = 99;     ///< Of a percentile.
  double limit = 0;        ///< Nanoseconds, or errors.
  bool inclusive = false;  ///< <= instead of <.
  std::string text;        ///< As it was written: "p99<2ms".
};

/// Several, with commas between them: "p99<2ms,max<=50ms,errors<1". A figure is pN with N from 0 to
/// 100, mean, max or errors. Errors: names the item that is not an objective
/// and shows a valid one.
Result<std::vector<Objective>> parse_objectives(std::string_view text);

/// "slo p99<2ms" with what the run had. Fails too where no message was measured. A percentile with
/// fewer than kTailValuesMin values beyond it is named as resting on them.
Check check(const Objective& objective, const RunResult& result);

}  // namespace wiremark::report
