// Text within the width of a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wiremark::report {

/// No line of a report is wider. A pipe gets what a terminal gets.
inline constexpr std::size_t kTextColumns = 80;

/// `text` with each line that is too wide broken at spaces, and continued `indent` columns from the
/// left. A word is never broken, nor what stands in the first `indent` columns. Letters of UTF-8
/// take one column, and escapes of ECMA-48 none.
std::string folded(std::string_view text, std::size_t indent);

}  // namespace wiremark::report
