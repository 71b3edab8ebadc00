// What the documents of results and of studies share: their text parsed, and a result within them.
#pragma once

#include <string_view>

#include "base/result.h"
#include "report/json_fields.h"
#include "report/result_fields.h"

namespace wiremark::report {

/// Null for what is no JSON. Deeper documents than any of ours are discarded while they are parsed:
/// the library copies them by recursion.
Json parse_shallow(std::string_view text);

/// parse_result() of a document that is parsed already.
Result<RunResult> read_result(Json document);

// Compiled once, in json.cpp: a result is the largest part of every document.
extern template Json to_json<RunResult>(const RunResult& value);
extern template Wrong read<RunResult>(const Json& json, RunResult& value, const Facts& facts,
                                      const At& at);

}  // namespace wiremark::report
