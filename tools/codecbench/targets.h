// The ratios this project promises, and how far a run is from them.
#pragma once

#include <string>
#include <vector>

#include "codecbench/cell.h"
#include "codecbench/rows.h"

namespace wiremark::tools {

/// The rows that the promises are about; contents are left as they are.
void choose_targets(Selection& selection);

/// One line per promise: our ratio, taken repeat by repeat, with its interval, and whether it is
/// met, missed, or undecided because the interval straddles it. A promise about a row that this
/// build or processor has not says so.
std::string format_targets(const std::vector<Cell>& cells);

}  // namespace wiremark::tools
