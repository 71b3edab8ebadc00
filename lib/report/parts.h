// Whether results are all the parts of one load.
#pragma once

#include <span>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "report/result.h"

namespace wiremark::report {

/// How far the beginnings of the measured parts lie apart, if the runs are `expected` parts of one
/// load that began within `skew_max`. Runs of netload --share must be each part of that many once,
/// and no other option may differ. Errors: a part is missing or there twice, an option that
/// differs, a run does not say when it began, more skew. That the runs overlapped is for merge() to
/// say.
Result<Nanoseconds> require_parts(std::span<const RunResult> runs,
                                  std::span<const std::string> names, unsigned expected,
                                  Nanoseconds skew_max);

}  // namespace wiremark::report
