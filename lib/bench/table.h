// The cells as a table for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/bench.h"
#include "bench/cell.h"

namespace wiremark::bench {

/// One block per workload, shape and access; in it the fastest row of each op first. At most 120
/// columns. `colour` marks the fastest own row of each op.
std::string format_table(const std::vector<Cell>& cells, bool colour);

/// Three significant digits, from 1,000 on whole: "3.61", "84.2", "1485".
std::string format_figure(double figure);

/// The median batch of the cell `key` in ns, or a gap where there is none.
std::string format_p50(const std::vector<Cell>& cells, std::string_view key);

}  // namespace wiremark::bench
