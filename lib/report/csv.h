// Documents as rows of one CSV file.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/document.h"

namespace wiremark::report {

/// The names of the columns, with a newline. Units stand in the names.
std::string csv_header(const Shape& shape);

/// A row for a run, and one for each run or figure of a study, each with a newline. Cells are
/// quoted where RFC 4180 asks for it; lines end in LF. What there is none of is left empty.
std::string csv_rows(const Shape& shape, const nlohmann::ordered_json& value);
std::string csv_rows(const Document& document);

/// The headers of documents of these kinds.
std::vector<std::string> csv_headers(std::initializer_list<Document> kinds);

/// Appends the rows to `path`, after the header when the file is new or empty. The file is locked
/// meanwhile (flock(2)), so that runs in parallel may share it. Errors: those of open(2), write(2),
/// and a file that has other columns.
Result<> append_csv(const std::string& path, const Document& document);

}  // namespace wiremark::report
