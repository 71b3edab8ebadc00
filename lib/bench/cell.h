// The cells of codecbench's table, which lib/report writes and reads.
#pragma once

#include "measure/cell.h"

namespace wiremark::bench {

using measure::Access;
using measure::Cell;
using measure::CellFigures;
using measure::CellName;
using measure::find_cell;
using measure::Labels;
using measure::to_string;

}  // namespace wiremark::bench
