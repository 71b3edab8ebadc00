// The shape of a latency in one line, for a terminal.
#pragma once

#include <cstdint>
#include <string>

#include "report/result.h"

namespace wiremark::report {

/// What a line of text may be drawn with.
enum class Letters : std::uint8_t { none, ascii, blocks };

/// "23.0 us ▁▁▂▂▃▄▅██▅▁ 1.07 s": how the messages lie between the shortest and the longest latency,
/// each letter as much of a logarithmic axis as the others, and the higher the more, by the square
/// root, so that what is rare is seen. Empty without messages or letters.
std::string latency_shape(const LatencySummary& latency, Letters letters);

}  // namespace wiremark::report
