// The cells as a table for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/bench.h"
#include "bench/cell.h"

namespace wiremark::bench {

/// One block per workload, shape and access; in it a group for each op, and for those that check
/// what they decode and those that do not, with the fastest row first. Times and `cpu` in ns an
/// operation; at most 80 columns. `colour` marks the first row of each group; `costs` adds what is
/// asked for rarely, hardware counters among it.
std::string format_table(const std::vector<Cell>& cells, bool colour, bool costs);

/// Three significant digits, from 1,000 on whole: "3.61", "84.2", "1485".
std::string format_figure(double figure);

/// The median batch of the cell `key` in ns, or a gap where there is none.
std::string format_p50(const std::vector<Cell>& cells, std::string_view key);

}  // namespace wiremark::bench
