// A result as a person reads it.
#pragma once

#include <string>

#include "report/latency_shape.h"
#include "report/result.h"

namespace wiremark::report {

/// The whole report, warnings last, within kTextColumns where no name is too long for that.
/// With `colour` the verdict and failed checks stand out by escapes of ECMA-48; with `letters` the
/// shape of the latency is drawn.
std::string text_report(const RunResult& result, bool colour = false,
                        Letters letters = Letters::none);

/// A reason of the verdict behind the figures that it speaks against, unless those are all.
std::string doubt_text(const Verdict& verdict, const std::string& reason);

/// One interval for the live display: two lines, and one more each for a message that has waited
/// longer than any answered one and for errors.
std::string text_line(const Interval& interval);

}  // namespace wiremark::report
