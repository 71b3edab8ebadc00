// E2: messages packed and unpacked, beside what was published.
#pragma once

#include <string>
#include <vector>

#include "codecbench/cell.h"
#include "codecbench/rows.h"

namespace wiremark::tools {

/// The workload, operations and sizes of the experiment.
void choose_e2(Selection& selection);

/// Our figures beside the published ones, and what the original got wrong.
std::string format_e2(const std::vector<Cell>& cells);

}  // namespace wiremark::tools
