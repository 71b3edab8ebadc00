// Resolves the escapes of a JSON string.
#include "wire/json/escape.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "wire/json/text.h"
#include "wire/utf8.h"

namespace wiremark::wire {
namespace {

/// For each byte its value as a hexadecimal digit, or -1.
constexpr auto kHexValues = [] {
  std::array<std::int8_t, 256> values{};
  for (unsigned byte = 0; byte < values.size(); ++byte) {
    values[byte] = static_cast<std::int8_t>(json_hex_value(static_cast<char>(byte)));
  }
  return values;
}();

/// What the byte behind a backslash stands for, or 0 where it is none of the eight.
constexpr auto kMeant = [] {
  std::array<char, 256> meant{};
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kCharacters = "\"\\/\b\f\n\r\t";
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    meant[static_cast<unsigned char>(kNames[i])] = kCharacters[i];
  }
  return meant;
}();

/// The UTF-16 unit of the \uXXXX at `at`; negative where that is none.
std::int32_t escaped_unit(std::string_view raw, std::size_t at) {
  if (raw.size() < at + 6 || raw[at] != '\\' || raw[at + 1] != 'u') return -1;
  const auto digit = [digits = raw.data() + at + 2](unsigned i) {
    return std::int32_t{kHexValues[static_cast<unsigned char>(digits[i])]};
  };
  // A digit that is none is all ones, so that the result has its sign.
  return digit(0) * 4096 | digit(1) * 256 | digit(2) * 16 | digit(3);
}

/// Writes the character of the \uXXXX or surrogate pair at `at` as UTF-8 and moves behind it;
/// nullptr where it is none.
char* put_code_point(char* to, std::string_view raw, std::size_t& at) {
  const std::int32_t unit = escaped_unit(raw, at);
  if (unit < 0) return nullptr;
  at += 6;
  auto point = static_cast<std::uint32_t>(unit);
  if (point >= 0xD800 && point <= 0xDFFF) {
    const std::int32_t low = escaped_unit(raw, at);
    if (point >= 0xDC00 || low < 0xDC00 || low > 0xDFFF) return nullptr;
    point = 0x10000 + ((point - 0xD800) << 10) + static_cast<std::uint32_t>(low - 0xDC00);
    at += 6;
  }
  const auto continuation = [point](unsigned shift) {
    return static_cast<char>(0x80 | (point >> shift & 0x3F));
  };
  if (point < 0x80) {
    *to++ = static_cast<char>(point);
  } else if (point < 0x800) {
    *to++ = static_cast<char>(0xC0 | point >> 6);
    *to++ = continuation(0);
  } else if (point < 0x10000) {
    *to++ = static_cast<char>(0xE0 | point >> 12);
    *to++ = continuation(6);
    *to++ = continuation(0);
  } else {
    *to++ = static_cast<char>(0xF0 | point >> 18);
    *to++ = continuation(12);
    *to++ = continuation(6);
    *to++ = continuation(0);
  }
  return to;
}

/// The same for any escape.
char* put_escaped(char* to, std::string_view raw, std::size_t& at) {
  if (at + 1 >= raw.size() || raw[at] != '\\') return nullptr;
  const char meant = kMeant[static_cast<unsigned char>(raw[at + 1])];
  if (meant == 0) return put_code_point(to, raw, at);
  at += 2;
  *to = meant;
  return to + 1;
}

}  // namespace

bool json_key_is(std::string_view raw, std::string_view plain) noexcept {
  // Of the escapes only \uXXXX can stand for a letter or digit.
  std::size_t at = 0;
  for (const char wanted : plain) {
    if (at == raw.size()) return false;
    if (raw[at] != '\\') {
      if (raw[at++] != wanted) return false;
      continue;
    }
    if (escaped_unit(raw, at) != static_cast<unsigned char>(wanted)) return false;
    at += 6;
  }
  return at == raw.size();
}

bool json_unescape(std::string_view raw, char* to, std::string_view& into) noexcept {
  char* end = to;
  std::size_t at = 0;
#ifdef __SSE2__
  // Whole blocks are written: what stands behind the plain bytes is overwritten by what follows.
  while (raw.size() - at >= kJsonBlock) {
    const __m128i block = json_block(raw.data() + at);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(end), block);
    const auto found = unsigned(_mm_movemask_epi8(json_escapes(block)));
    const auto plain = found == 0 ? kJsonBlock : std::size_t(std::countr_zero(found));
    at += plain;
    end += plain;
    if (found == 0) continue;
    // Escapes come in runs, when a writer escapes a whole script.
    do {
      if ((end = put_escaped(end, raw, at)) == nullptr) return false;
    } while (at < raw.size() && raw[at] == '\\');
  }
#endif
  while (at < raw.size()) {
    if (json_needs_escape(raw[at])) {
      if ((end = put_escaped(end, raw, at)) == nullptr) return false;
    } else {
      *end++ = raw[at++];
    }
  }
  into = {to, static_cast<std::size_t>(end - to)};
  return is_utf8(as_bytes(raw));
}

}  // namespace wiremark::wire
