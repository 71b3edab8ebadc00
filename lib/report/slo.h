// What a service promises, such as a p99 below 2 ms, and whether a run kept it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/result.h"

namespace wiremark::report {

/// One objective: a percentile, the mean or the maximum of the latency, or the number of errors,
/// and its limit. A message that was lost without an error, as over UDP, counts as one.
struct Objective {
  enum class Figure { percentile, mean, max, errors };

  Figure figure = Figure::percentile;
  double percent = 99;     ///< For a percentile.
  double limit = 0;        ///< In nanoseconds, or a number of errors.
  bool inclusive = false;  ///< <= instead of <.
  std::string text;        ///< As it was written: "p99<2ms".
};

/// Several, with commas between them: "p99<2ms,max<=50ms,errors<1". A figure is pN with N from 0 to
/// 100, mean, max or errors. Errors: names the item that is not an objective and shows a valid one.
Result<std::vector<Objective>> parse_objectives(std::string_view text);

/// The check "slo p99<2ms" of a run, with its figure. Fails also if no message was measured. Says
/// so if fewer than kTailValuesMin values are beyond a percentile.
Check check(const Objective& objective, const RunResult& result);

}  // namespace wiremark::report
