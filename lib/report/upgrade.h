// Documents of schemas before, read as those of now.
#pragma once

#include <nlohmann/json.hpp>

namespace wiremark::report {

/// What upgrade() knows besides the schemas of now.
inline constexpr const char* kResultSchemasBefore[] = {"wiremark.result/1", "wiremark.result/2"};

/// Makes results that name one of kResultSchemasBefore, here and inside a study, such that name
/// kResultSchema. What is missing or wrong in them is left for the table to refuse.
///
/// - wiremark.result/2: a histogram was a list of buckets, index and count, and becomes runs.
/// - wiremark.result/1, too: its plan and its delivery become outcome, pacing and delivery. A
///   closed loop over TCP did not say what it had sent, and has no outcome.
/// - Of any schema: figures that a run has none of were 0, and mean, deviation, maximum and the
///   percentiles of studies left out messages without an answer.
/// - Either with cells, which codecbench wrote as a result, becomes a wiremark.codecs/1.
void upgrade(nlohmann::ordered_json& document);

}  // namespace wiremark::report
