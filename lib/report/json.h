// Documents as JSON: written, read back, and their schemas, all by their tables of fields.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "report/document.h"

namespace wiremark::report {

/// The whole document, one line per member at the top, and a newline at the end. Text that is not
/// UTF-8 has its bad bytes replaced.
std::string json_document(const Document& document);

/// The whole document on one line, newline included.
std::string json_line(const Document& document);

/// What json_document() made `text` of, equal in every member, so that it can be printed or merged
/// as if the run had just ended. What upgrade.h knows of is upgraded first. Errors: no JSON,
/// another schema, what the table does not allow, and a figure that others in it contradict, such
/// as a percentile that its histogram has not. They name the member as a JSON pointer (RFC 6901).
Result<Document> parse_document(std::string_view text);

/// The text of schemas/NAME.schema.json; empty where no document is called so.
std::string json_schema(std::string_view name);

}  // namespace wiremark::report
