// The published experiments about codecs, E2, E4 and E6, beside our figures.
#pragma once

#include <string>
#include <vector>

#include "codecbench/bench.h"
#include "codecbench/rows.h"

namespace wiremark::tools {

/// The rows that experiment `name` ("e2", "e4" or "e6") is about.
void choose_experiment(const std::string& name, Selection& selection);

/// The table of the experiment beside the published figures, and what the original got wrong.
/// `parallel` holds the cells of the same rows on all processors; only e6 has them.
std::string format_experiment(const std::string& name, const std::vector<Cell>& cells,
                              const std::vector<Cell>& parallel);

}  // namespace wiremark::tools
