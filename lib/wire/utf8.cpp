// Checks sequences by the table of well-formed UTF-8 (Unicode 15, table 3-7).
#include "wire/utf8.h"

namespace wiremark::wire {
namespace {

unsigned byte_at(Bytes text, std::size_t at) { return std::to_integer<unsigned>(text[at]); }

bool continues(Bytes text, std::size_t at) { return (byte_at(text, at) & 0xC0) == 0x80; }

/// The length of the multi-byte sequence that starts at `at`, or 0 when it is not well formed.
std::size_t sequence_size(Bytes text, std::size_t at) {
  const unsigned lead = byte_at(text, at);
  const std::size_t left = text.size() - at;
  if (lead < 0xC2) return 0;
  if (lead < 0xE0) return left >= 2 && continues(text, at + 1) ? 2 : 0;
  if (left < 2 || !continues(text, at + 1)) return 0;
  const unsigned second = byte_at(text, at + 1);
  if (lead < 0xF0) {
    if (lead == 0xE0 && second < 0xA0) return 0;  // Overlong.
    if (lead == 0xED && second > 0x9F) return 0;  // A surrogate.
    return left >= 3 && continues(text, at + 2) ? 3 : 0;
  }
  if (lead > 0xF4) return 0;
  if (lead == 0xF0 && second < 0x90) return 0;  // Overlong.
  if (lead == 0xF4 && second > 0x8F) return 0;  // Over U+10FFFF.
  return left >= 4 && continues(text, at + 2) && continues(text, at + 3) ? 4 : 0;
}

}  // namespace

std::size_t utf8_prefix(Bytes text) noexcept {
  std::size_t at = 0;
  while (at < text.size()) {
    if (text.size() - at >= 16 && is_ascii(text.subspan(at, 16))) {
      at += 16;
    } else if (byte_at(text, at) < 0x80) {
      ++at;
    } else {
      const std::size_t size = sequence_size(text, at);
      if (size == 0) return at;
      at += size;
    }
  }
  return at;
}

}  // namespace wiremark::wire
