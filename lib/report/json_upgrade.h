// A result of the schema before this one, read as one of this.
#pragma once

#include <nlohmann/json.hpp>

namespace wiremark::report {

/// What json_upgrade reads besides kResultSchema.
inline constexpr const char* kResultSchemaBefore = "wiremark.result/1";

/// Makes `document`, which names kResultSchemaBefore, one that names kResultSchema: its plan and
/// its delivery become outcome, pacing and delivery. A closed loop over TCP did not say what it had
/// sent, and has no outcome. What a part lacks is null afterwards, for the schema to find.
void upgrade_result(nlohmann::ordered_json& document);

}  // namespace wiremark::report
