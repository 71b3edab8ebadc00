// A result read back from its JSON document.
#pragma once

#include <string_view>

#include "base/result.h"
#include "report/result.h"

namespace wiremark::report {

/// What json_document() made `text` of, equal in every member, so that it can be printed or merged
/// as if the run had just ended. One of kResultSchemaBefore is upgraded first. Errors: no JSON,
/// another schema, a place where it breaks schemas/result.schema.json, and a figure that others in
/// it contradict, such as a percentile that its histogram has not. They name the member as a JSON
/// pointer. Cells of codecbench are no part of a RunResult: refused.
Result<RunResult> parse_result(std::string_view text);

}  // namespace wiremark::report
