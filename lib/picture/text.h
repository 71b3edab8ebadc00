// Text of a picture: escaped for XML, and its width.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wiremark::picture {

/// The text size of a picture, in its units; a unit is a CSS pixel if the picture is not scaled.
inline constexpr double kTextSize = 12;

/// `text` made printable, and escaped for use between tags or in quotes: XML has no control
/// characters (https://www.w3.org/TR/xml/#charsets).
std::string escaped(std::string_view text);

/// The approximate width of `text` in a picture. Rather too large: it is that of DejaVu Sans, which
/// is wider than the font of most systems.
double width_of(std::string_view text);

/// `text`, which begins with a number, without trailing zeros: "1.50 ms" becomes "1.5 ms".
std::string without_zeros(std::string_view text);

/// `text`, or as much of it as fits into `width`, with an ellipsis.
std::string fitting(std::string_view text, double width);

/// `text` in one line, or in two broken at the last space that leaves a first line within `width`.
/// A line that is wider all the same ends with an ellipsis.
std::vector<std::string> in_two_lines(std::string_view text, double width);

}  // namespace wiremark::picture
