// A result as a person reads it.
#pragma once

#include <string>

#include "report/result.h"

namespace wiremark::report {

/// The whole report, at most 100 columns wide where names and warnings allow, warnings last.
/// With `colour` the verdict and failed checks stand out by escapes of ECMA-48.
std::string text_report(const RunResult& result, bool colour = false);

/// One interval on one line, with a newline, for the live display; at most 100 columns.
std::string text_line(const Interval& interval);

}  // namespace wiremark::report
