// The ratios this project promises, and how far a run is from them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codecbench/cell.h"
#include "codecbench/rows.h"

namespace wiremark::tools {

/// Selects the rows that the promises are about, with whatever contents.
void choose_targets(Selection& selection);

/// One line per promise: our ratio, taken repeat by repeat, with its interval, and whether it is
/// met, missed, or undecided because the interval straddles it. It also says which
/// promise is about a row that this build does not have.
std::string format_targets(const std::vector<Cell>& cells);

}  // namespace wiremark::tools
