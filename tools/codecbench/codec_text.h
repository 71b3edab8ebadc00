// What codecbench measured as a person reads it, when it has run and when it is read back.
#pragma once

#include <string>

#include "report/codec_table.h"

namespace wiremark::tools {

/// The table that was asked for, and below it the machine, the method, the doubts and the earlier
/// run. `colour` marks the fastest own row of each op.
std::string text_report(const report::CodecTable& codecs, bool colour);

}  // namespace wiremark::tools
