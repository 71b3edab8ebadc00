// What all threads of a load send, and the one place of netload that knows formats by name.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "contents.h"
#include "formats.h"
#include "netload/format_traffic.h"
#include "netload/pattern.h"
#include "netload/traffic.h"
#include "wire/codecs.h"

namespace wiremark::tools {

/// Made once and shared by the threads; none changes it.
struct TrafficPlan {
  std::string format{kRaw};
  std::uint64_t seed = 1;
  bool verify = true;
  std::optional<Pattern> pattern;  ///< raw only.
  Contents contents;               ///< For every other format.
  wire::Limits limits;             ///< Of messages sent and of answers.
};

/// Fills in the contents: those of `input`, the texts of E2 when it is empty. Errors: a file that
/// cannot be read, or a line that the format cannot carry, with its number.
Result<> add_contents(TrafficPlan& plan, const std::string& input);

/// Calls use(traffic) with the traffic of the plan's format, made for this thread. Errors: a name
/// that no format has.
template <class Use>
Result<> with_traffic(const TrafficPlan& plan, Use&& use) {
  if (plan.format == kRaw) {
    RawTraffic traffic(*plan.pattern, plan.verify);
    use(traffic);
    return {};
  }
  return wire::with_codec(plan.format, plan.limits, [&](auto& codec) {
    FormatTraffic traffic(codec, plan.contents, plan.limits, plan.seed, plan.verify);
    use(traffic);
  });
}

}  // namespace wiremark::tools
