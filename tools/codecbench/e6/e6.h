// E6: one value of many, beside what was published.
#pragma once

#include <string>
#include <vector>

#include "codecbench/cell.h"
#include "codecbench/rows.h"
#include "report/published.h"

namespace wiremark::tools {

/// The workload, operations and sizes of the experiment.
void choose_e6(Selection& selection);

/// Our figures beside the published ones, and what the original got wrong.
/// `parallel` holds the same rows on all processors.
std::string format_e6(const std::vector<Cell>& cells, const std::vector<Cell>& parallel);

/// The published figures beside those of `cells`, for a picture.
std::vector<report::Published> published_e6(const std::vector<Cell>& cells);

}  // namespace wiremark::tools
