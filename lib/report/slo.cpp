// What a service promises, such as a p99 below 2 ms, and whether a run kept it.
#include "report/slo.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/list.h"
#include "base/units.h"
#include "measure/quantity.h"

namespace wiremark::report {

using namespace measure;

namespace {

std::unexpected<Error> not_an_objective(std::string_view text) {
  return failed(fmt::format("'{}' is not an objective such as p99<2ms, mean<=500us, max<50ms or "
                            "errors<1",
                            text),
                {}, 0);
}

Result<Objective> parse_objective(std::string_view text) {
  const std::size_t sign = text.find('<');
  if (sign == std::string_view::npos) return not_an_objective(text);
  Objective objective;
  objective.text = text;
  objective.inclusive = text.substr(sign + 1).starts_with('=');
  const std::string_view name = text.substr(0, sign);
  const std::string_view limit = text.substr(sign + (objective.inclusive ? 2 : 1));
  if (name == "errors") {
    const auto count = parse_count(limit);
    if (!count) return not_an_objective(text);
    objective.figure = Objective::Figure::errors;
    objective.limit = *count;
    return objective;
  }
  const auto time = parse_duration(limit);
  if (!time || limit.empty()) return not_an_objective(text);
  if (limit.find_last_not_of("0123456789.") == std::string_view::npos)
    return failed(fmt::format("'{0}' has no unit; write {0}ms or {0}s", text), {}, 0);
  objective.limit = static_cast<double>(*time);
  if (name == "mean" || name == "max") {
    objective.figure = name == "mean" ? Objective::Figure::mean : Objective::Figure::max;
    return objective;
  }
  const auto percent =
      name.starts_with('p') ? parse_count(name.substr(1)) : Result<double>(not_an_objective(text));
  if (!percent || *percent > 100) return not_an_objective(text);
  objective.percent = *percent;
  return objective;
}

// A message that was lost, or never sent, is later than any: it has its place in the ranks, and no
// mean or maximum exists with it.
double figure_of(const Objective& objective, const LatencySummary& latency, std::uint64_t lost) {
  if (objective.figure == Objective::Figure::mean)
    return lost > 0 ? INFINITY : latency.mean.value_or(INFINITY);
  const bool whole = objective.figure == Objective::Figure::max || objective.percent >= 100;
  // The hundredth percentile is the maximum, and that is known to the nanosecond.
  if (whole) return lost > 0 || !latency.max ? INFINITY : static_cast<double>(*latency.max);
  const auto histogram = restore(latency);
  const auto ns =
      histogram ? percentile_of(*histogram, objective.percent, lost) : std::optional<Nanoseconds>();
  return ns ? static_cast<double>(*ns) : INFINITY;
}

}  // namespace

Result<std::vector<Objective>> parse_objectives(std::string_view text) {
  std::vector<Objective> objectives;
  for (const std::string_view item : split_list(text)) {
    auto objective = parse_objective(item);
    if (!objective) return std::unexpected(objective.error());
    objectives.push_back(std::move(*objective));
  }
  return objectives;
}

Check check(const Objective& objective, const RunResult& result) {
  Check check;
  check.name = "slo " + objective.text;
  const auto kept = [&](double figure) {
    return objective.inclusive ? figure <= objective.limit : figure < objective.limit;
  };
  const LatencySummary& latency = result.latency;
  if (latency.count == 0) {
    check.detail = "no message was measured";
    return check;
  }
  if (objective.figure == Objective::Figure::errors) {
    const std::uint64_t errors = result.totals.errors_sum();
    const std::uint64_t without = result.outcome ? result.outcome->lost : 0;
    check.passed = kept(static_cast<double>(std::max(errors, without)));
    check.detail = format_counted(errors, "error");
    if (without > errors)
      check.detail += ", " + format_counted(without, "message") + " never answered in time";
    return check;
  }
  const std::uint64_t lost = result.outcome ? result.outcome->lost + result.outcome->unsent : 0;
  const double figure = figure_of(objective, latency, lost);
  check.passed = kept(figure);
  check.detail = std::isinf(figure) ? format_counted(lost, "message") + " never answered in time"
                                    : format_time(figure);
  const double beyond = static_cast<double>(latency.count) * (100 - objective.percent) / 100;
  if (objective.figure == Objective::Figure::percentile && objective.percent < 100 &&
      std::round(beyond) < static_cast<double>(kTailValuesMin)) {
    check.detail += fmt::format(", which rests on {:.0f} of {}", beyond,
                                format_counted(latency.count, "value"));
  }
  return check;
}

}  // namespace wiremark::report
