// The escapes of a JSON string that has been checked, and what they stand for.
#include "wire/json/escape.h"

#include <cstddef>
#include <cstdint>

#include "wire/json/text.h"

namespace wiremark::wire {
namespace {

/// The UTF-16 unit of the \uXXXX at `at`.
std::uint32_t escaped_unit(std::string_view raw, std::size_t at) {
  std::uint32_t unit = 0;
  for (const char digit : raw.substr(at + 2, 4)) {
    unit = unit << 4 | static_cast<std::uint32_t>(json_hex_value(digit));
  }
  return unit;
}

/// Writes the character of the \uXXXX or surrogate pair at `at` as UTF-8 and moves behind it.
char* put_code_point(char* to, std::string_view raw, std::size_t& at) {
  std::uint32_t point = escaped_unit(raw, at);
  at += 6;
  if (point >= 0xD800 && point <= 0xDFFF) {
    point = 0x10000 + ((point - 0xD800) << 10) + (escaped_unit(raw, at) - 0xDC00);
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
    if (raw[at + 1] != 'u') return false;
    if (escaped_unit(raw, at) != static_cast<unsigned char>(wanted)) return false;
    at += 6;
  }
  return at == raw.size();
}

std::string_view json_unescape(std::string_view raw, char* to) noexcept {
  constexpr std::string_view kSingle = "bfnrt";
  constexpr std::string_view kMeant = "\b\f\n\r\t";
  char* end = to;
  for (std::size_t at = 0; at < raw.size();) {
    if (raw[at] != '\\') {
      *end++ = raw[at++];
      continue;
    }
    const char kind = raw[at + 1];
    if (kind == 'u') {
      end = put_code_point(end, raw, at);
      continue;
    }
    const std::size_t single = kSingle.find(kind);
    *end++ = single == std::string_view::npos ? kind : kMeant[single];
    at += 2;
  }
  return {to, static_cast<std::size_t>(end - to)};
}

}  // namespace wiremark::wire
