// The cells of codecbench's table, which lib/report writes and reads.
#pragma once

#include "report/cell.h"

namespace wiremark::tools {

using report::Access;
using report::Cell;
using report::CellFigures;
using report::CellName;
using report::find_cell;
using report::Labels;
using report::to_string;

}  // namespace wiremark::tools
