// Trials that must not change this process: they run in a child, and what they found comes back.
#pragma once

#include <functional>

#include "probe/finding.h"

namespace wiremark::probe {

/// What `trials` returns in a child that is killed after three seconds, or when this thread ends.
/// Empty where no child can be had, or it died.
Findings in_child(const std::function<Findings()>& trials);

}  // namespace wiremark::probe
