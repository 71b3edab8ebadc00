// The ratios this project promises, and how far a run is from them.
#pragma once

#include <string>
#include <vector>

#include "codecbench/cell.h"
#include "codecbench/rows.h"

namespace wiremark::tools {

/// The rows that the promises are about; contents are left as they are.
void choose_targets(Selection& selection);

/// One line per promise: ours, by the fastest and by the median batches, and by how much it is met
/// or missed. A promise about a row that this build or processor has not says so.
std::string format_targets(const std::vector<Cell>& cells);

/// The cell with this key, or null when it is not there or was not measured.
const Cell* find_cell(const std::vector<Cell>& cells, std::string_view key);

}  // namespace wiremark::tools
