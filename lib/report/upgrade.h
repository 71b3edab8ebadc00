// Documents of schemas before, read as those of now.
#pragma once

#include <nlohmann/json.hpp>

namespace wiremark::report {

/// What upgrade() knows besides the schemas of now.
inline constexpr const char* kResultSchemaBefore = "wiremark.result/1";

/// Makes a `document` that names kResultSchemaBefore one that names kResultSchema: its plan and its
/// delivery become outcome, pacing and delivery. A closed loop over TCP did not say what it had
/// sent, and has no outcome. What is missing or wrong in them is left for the table to refuse.
/// One with cells, which codecbench wrote as a result, becomes a wiremark.codecs/1.
void upgrade(nlohmann::ordered_json& document);

}  // namespace wiremark::report
