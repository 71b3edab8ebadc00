// The spread of a figure over rounds or probes, as the documents hold it.
#include "netload/spread_json.h"

#include <nlohmann/json.hpp>

namespace wiremark::tools {

nlohmann::ordered_json json_of(const std::optional<measure::Spread>& spread) {
  if (!spread) return nullptr;
  return {{"median", spread->median},
          {"min", spread->min},
          {"max", spread->max},
          {"rounds", spread->rounds}};
}

}  // namespace wiremark::tools
