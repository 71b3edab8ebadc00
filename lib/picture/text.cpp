// Text of a picture: escaped for XML, and its width.
#include "picture/text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace wiremark::picture {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

bool is_of_xml(std::uint32_t code) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  return (code < 0xD800 || code > 0xDFFF) && code != 0xFFFE && code != 0xFFFF && code <= 0x10FFFF;
}

// The first character of `text`, which is not empty: UTF-8 of RFC 3629, overlong forms refused.
Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1, is_of_xml(lead)};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  std::uint32_t code = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3FU);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[bytes]) return {};
  return {code, bytes, is_of_xml(code)};
}

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
  while (!text.empty()) {
    const Character character = first_of(text);
    const std::string_view bytes = text.substr(0, character.bytes);
    text.remove_prefix(character.bytes);
    if (!character.valid)
      out += kReplacement;
    else if (bytes == "&")
      out += "&amp;";
    else if (bytes == "<")
      out += "&lt;";
    else if (bytes == ">")
      out += "&gt;";
    else if (bytes == "\"")
      out += "&quot;";
    else if (bytes == "'")
      out += "&#39;";
    else
      out += bytes;
  }
  return out;
}

double width_of(std::string_view text) {
  double width = 0;
  while (!text.empty()) {
    const Character character = first_of(text);
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
    const std::string_view bytes = text.substr(0, first_of(text).bytes);
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
