// A result as the JSON document of schemas/result.schema.json.
#pragma once

#include <string>

#include "measure/result.h"

namespace wiremark::measure {

/// The whole document, one line per member at the top, and a newline at the end. Text that is not
/// UTF-8 has its bad bytes replaced; a limit the kernel does not set is null.
std::string json_document(const RunResult& result);

/// One interval on one line, newline included, as it stands in the document's "intervals".
std::string json_line(const Interval& interval);

}  // namespace wiremark::measure
