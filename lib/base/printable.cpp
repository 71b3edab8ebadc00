// Text that came from elsewhere, such as the name of a process or the words of a server.
#include "base/printable.h"

#include <algorithm>

namespace wiremark {

namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

// Of Unicode, those that print as no letter in their place: control characters (Cc), format
// characters (Cf), and the ends of lines and paragraphs. Noncharacters are in no text.
constexpr Range kUnprintable[] = {{0x0000, 0x001F}, {0x007F, 0x009F}, {0x00AD, 0x00AD},
                                  {0x061C, 0x061C}, {0x180E, 0x180E}, {0x200B, 0x200F},
                                  {0x2028, 0x202E}, {0x2060, 0x206F}, {0xFEFF, 0xFEFF},
                                  {0xFFF9, 0xFFFB}, {0xFFFE, 0xFFFF}, {0xE0000, 0xE007F}};

bool is_printable(const Character& character) noexcept {
  return character.valid && std::ranges::none_of(kUnprintable, [&](const Range& range) {
           return character.code >= range.first && character.code <= range.last;
         });
}

}  // namespace

void put_escaped(std::string& to, char byte) {
  constexpr std::string_view kNamed = "\n\r\t", kDigits = "0123456789abcdef";
  const auto value = static_cast<unsigned char>(byte);
  if (const std::size_t at = kNamed.find(byte); at != kNamed.npos)
    to += {'\\', "nrt"[at]};
  else
    to += {'\\', 'x', kDigits[value >> 4], kDigits[value & 0xF]};
}

Character first_character(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  std::uint32_t code = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3FU);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kLeast[bytes] || code > 0x10FFFF || surrogate) return {};
  return {code, bytes, true};
}

std::string printable(std::string_view text) {
  if (std::ranges::all_of(text, is_plain_ascii)) return std::string(text);
  std::string shown;
  while (!text.empty()) {
    const Character character = first_character(text);
    const std::string_view bytes = text.substr(0, character.bytes);
    text.remove_prefix(character.bytes);
    if (is_printable(character)) {
      shown += bytes;
      continue;
    }
    for (const char byte : bytes) put_escaped(shown, byte);
  }
  return shown;
}

}  // namespace wiremark
