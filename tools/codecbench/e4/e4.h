// E4: messages of a hundred types, beside what was published.
#pragma once

#include <string>
#include <vector>

#include "codecbench/cell.h"
#include "codecbench/rows.h"
#include "report/published.h"

namespace wiremark::tools {

/// The workload, operations and sizes of the experiment.
void choose_e4(Selection& selection);

/// Our figures beside the published ones, and what the original got wrong.
std::string format_e4(const std::vector<Cell>& cells);

/// The published figures beside those of `cells`, for a picture.
std::vector<report::Published> published_e4(const std::vector<Cell>& cells);

}  // namespace wiremark::tools
