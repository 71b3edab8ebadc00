// Rows of codecbench as bars.
#pragma once

#include <vector>

#include "report/codec_table.h"
#include "report/html/page.h"

namespace wiremark::report {

/// Adds a picture for each thing that is measured, such as the encoding of packets, with a bar for
/// each row.
void add_codecs(Page& page, const std::vector<Cell>& cells);

}  // namespace wiremark::report
