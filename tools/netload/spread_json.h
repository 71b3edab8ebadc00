// The spread of a figure over rounds or probes, as the documents hold it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "measure/ratio.h"

namespace wiremark::tools {

/// The object "spread" of schemas/comparison.schema.json; null where there is no spread.
nlohmann::ordered_json json_of(const std::optional<measure::Spread>& spread);

}  // namespace wiremark::tools
