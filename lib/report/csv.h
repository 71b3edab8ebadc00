// Results as rows of one CSV file.
#pragma once

#include <string>

#include "base/result.h"
#include "report/result.h"

namespace wiremark::report {

/// The names of the columns, with a newline. Units stand in the names.
std::string csv_header();

/// One result as one row, with a newline. Fields are quoted where RFC 4180 asks for it; lines end
/// in LF. What a run does not have is left empty.
std::string csv_row(const RunResult& result);

/// Appends a row to `path`, after the header when the file is new or empty. The file is locked
/// meanwhile (flock(2)), so that runs in parallel may share it. Errors: those of open(2), write(2).
Result<> append_csv(const std::string& path, const RunResult& result);

}  // namespace wiremark::report
