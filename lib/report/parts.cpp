// Whether results are all the parts of one load.
#include "report/parts.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <vector>

#include "measure/quantity.h"
#include "report/same_load.h"

namespace wiremark::report {

namespace {

Result<> require_each_once(std::span<const RunResult> runs, std::span<const std::string> names,
                           unsigned expected) {
  std::map<std::string, std::string> found;  // The parts, and the file of each.
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string part = runs[i].option("share");
    if (part.empty() || part == "0/1") continue;  // All of a load.
    if (!part.ends_with(fmt::format("/{}", expected)))
      return failed(fmt::format("{} is part {}, not one of {}", names[i], part, expected), {}, 0);
    const auto [same, is_new] = found.emplace(part, names[i]);
    if (!is_new)
      return failed(fmt::format("{} and {} are both part {}", same->second, names[i], part), {}, 0);
  }
  std::string missing;
  for (unsigned i = 0; !found.empty() && i < expected; ++i) {
    const std::string part = fmt::format("{}/{}", i, expected);
    if (!found.contains(part)) missing += (missing.empty() ? "; missing: " : ", ") + part;
  }
  if (runs.size() == expected && missing.empty()) return {};
  return failed(fmt::format("{} of {} parts, which are no whole{}", runs.size(), expected, missing),
                {}, 0);
}

// The parts of a load have all of it in common but their share of it.
Result<> require_one_load(std::span<const RunResult> runs, std::span<const std::string> names) {
  constexpr std::string_view kOwn[] = {"share"};
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const auto option = other_option(runs[0], runs[i], kOwn);
    if (!option) continue;
    return failed(fmt::format("{} and {} are not parts of one load: the option {} is '{}' and '{}'",
                              names[0], names[i], option->name, option->one, option->other),
                  {}, 0);
  }
  return {};
}

}  // namespace

Result<Nanoseconds> require_parts(std::span<const RunResult> runs,
                                  std::span<const std::string> names, unsigned expected,
                                  Nanoseconds skew_max) {
  if (auto whole = require_each_once(runs, names, expected); !whole)
    return std::unexpected(whole.error());
  if (auto same = require_one_load(runs, names); !same) return std::unexpected(same.error());
  std::size_t first = 0, last = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i].measured_from)
      return failed(names[i] + " does not say when it began (measured_from)", {}, 0);
    if (*runs[i].measured_from < *runs[first].measured_from) first = i;
    if (*runs[i].measured_from > *runs[last].measured_from) last = i;
  }
  const double skew_ns = (*runs[last].measured_from - *runs[first].measured_from) * kSecond;
  if (skew_ns > static_cast<double>(skew_max)) {
    return failed(fmt::format("{} began {} after {}, and --max-skew is {}: start the parts with "
                              "one --start-at, on clocks that agree",
                              names[last], measure::format_time(skew_ns), names[first],
                              measure::format_time(static_cast<double>(skew_max))),
                  {}, 0);
  }
  return static_cast<Nanoseconds>(std::llround(skew_ns));
}

}  // namespace wiremark::report
