// Text of a picture: escaped for XML, and its width.
#include "picture/text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/printable.h"

namespace wiremark::picture {

namespace {

constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

// As a share of the text size.
double width_of(std::uint32_t code) {
  if (code >= 0x1100) return 1.02;  // Most characters wider than Latin letters.
  if (code >= 0x80) return 0.84;
  const char c = static_cast<char>(code);
  if (std::string_view("ijl|'.,:; ").find(c) != std::string_view::npos) return 0.35;
  if (std::string_view("ft()[]{}\"-/\\Irs").find(c) != std::string_view::npos) return 0.53;
  if (std::string_view("mwMW%@+<>=").find(c) != std::string_view::npos) return 1.0;
  return c >= 'A' && c <= 'Z' ? 0.76 : 0.65;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else
      out += c;
  }
  return out;
}

double width_of(std::string_view text) {
  double width = 0;
  while (!text.empty()) {
    const Character character = first_character(text);
    width += width_of(character.code) * kTextSize;
    text.remove_prefix(character.bytes);
  }
  return width;
}

std::string without_zeros(std::string_view text) {
  const auto point = text.find('.');
  if (point == std::string_view::npos) return std::string(text);
  const auto unit = std::min(text.find_first_not_of("0123456789", point + 1), text.size());
  auto end = text.find_last_not_of('0', unit - 1);
  if (end == point) --end;
  return std::string(text.substr(0, end + 1)) + std::string(text.substr(unit));
}

std::string fitting(std::string_view text, double width) {
  if (width_of(text) <= width) return std::string(text);
  std::string out;
  double taken = width_of(kEllipsis);
  while (!text.empty()) {
    const std::string_view bytes = text.substr(0, first_character(text).bytes);
    taken += width_of(bytes);
    if (taken > width) break;
    out += bytes;
    text.remove_prefix(bytes.size());
  }
  return out + std::string(kEllipsis);
}

std::vector<std::string> in_two_lines(std::string_view text, double width) {
  if (width_of(text) <= width) return {std::string(text)};
  std::size_t space = text.rfind(' ');
  while (space != text.npos && space > 0 && width_of(text.substr(0, space)) > width)
    space = text.rfind(' ', space - 1);
  if (space == text.npos || space == 0) return {fitting(text, width)};
  return {std::string(text.substr(0, space)), fitting(text.substr(space + 1), width)};
}

}  // namespace wiremark::picture
