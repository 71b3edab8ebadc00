// A result as a JSON document: written, read back, and its schema, all by result_fields.h.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "report/result.h"

namespace wiremark::report {

/// The whole document, one line per member at the top, and a newline at the end. Text that is not
/// UTF-8 has its bad bytes replaced.
std::string json_document(const RunResult& result);

/// The whole document on one line, newline included.
std::string json_line(const RunResult& result);

/// One interval on one line, newline included, as it stands in the document's "intervals" behind a
/// member "schema".
std::string json_line(const Interval& interval);

/// What json_document() made `text` of, equal in every member, so that it can be printed or merged
/// as if the run had just ended. One of kResultSchemaBefore is upgraded first. Errors: no JSON,
/// another schema, what the table does not allow, and a figure that others in it contradict, such
/// as a percentile that its histogram has not. They name the member as a JSON pointer (RFC 6901).
/// Cells of codecbench are refused.
Result<RunResult> parse_result(std::string_view text);

/// The text of schemas/NAME.schema.json; empty where the tables have none of that name.
std::string json_schema(std::string_view name);

}  // namespace wiremark::report
