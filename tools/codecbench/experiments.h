// The published experiments about codecs, E2, E4 and E6, beside our figures.
#pragma once

#include <string>

#include "codecbench/rows.h"

namespace wiremark::tools {

/// The rows that experiment `name` ("e2", "e4" or "e6") is about.
void choose_experiment(const std::string& name, Selection& selection);

}  // namespace wiremark::tools
