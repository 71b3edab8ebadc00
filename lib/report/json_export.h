// A result as the JSON document of schemas/result.schema.json.
#pragma once

#include <string>

#include "report/result.h"

namespace wiremark::report {

/// The whole document, one line per member at the top, and a newline at the end. Text that is not
/// UTF-8 has its bad bytes replaced; a limit the kernel does not set is null.
std::string json_document(const RunResult& result);

/// What a line of an interval calls itself.
inline constexpr const char* kIntervalSchema = "wiremark.interval/1";

/// One interval on one line, newline included, as it stands in the document's "intervals" behind a
/// member "schema".
std::string json_line(const Interval& interval);

/// The whole document on one line, newline included.
std::string json_line(const RunResult& result);

}  // namespace wiremark::report
