// Compares a run with an earlier one, row by row: slower, faster, level, or undecided.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "codecbench/cell.h"
#include "report/codec_table.h"

namespace wiremark::tools {

using report::Baseline;
using report::Change;

/// "5%" or "5", up to 1000: how much slower or faster is still level, in percent.
Result<double> parse_tolerance(std::string_view text);

/// The cells of an earlier run. Errors: the file cannot be read, is no document of codecbench, or
/// has too few repeats to tell anything.
Result<std::vector<Cell>> read_baseline(const std::string& path);

/// `cells` beside those of an earlier run; its file is left empty.
Baseline compare_with(const std::vector<Cell>& before, const std::vector<Cell>& cells,
                      double tolerance_pct);

/// "1.31 (1.22 to 1.40, 99.2 % sure)".
std::string format_interval(const measure::MedianInterval& ratio);

/// Each row that is slower, faster or new, with `all` every row, and how many there are of each.
std::string format_baseline(const Baseline& baseline, bool all);

}  // namespace wiremark::tools
