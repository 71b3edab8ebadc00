// Under which conditions contenders were compared, and which of their runs should be doubted.
#pragma once

#include <vector>

#include "netload/rounds.h"

namespace wiremark::tools {

/// Prints the client's path, the processors and the machine, the rounds that were left out, what no
/// run on one machine can show, and the reasons and warnings of all runs, those of one kind
/// together. Each contender has a round.
void print_conditions(const std::vector<Contender>& contenders, unsigned left_out);

}  // namespace wiremark::tools
