// A result read back from its JSON document.
#pragma once

#include <string_view>

#include "base/result.h"
#include "measure/result.h"

namespace wiremark::measure {

/// What json_document() made `text` of, equal in every member, so that it can be printed or merged
/// as if the run had just ended. Errors: no JSON, another schema than kResultSchema, a member that
/// is missing or of another type, a histogram of another layout, or whose counts do not add up to
/// what stands beside it. Cells of codecbench are no part of a RunResult: refused.
Result<RunResult> parse_result(std::string_view text);

}  // namespace wiremark::measure
