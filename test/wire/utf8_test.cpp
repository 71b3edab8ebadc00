// UTF-8 against a decoder written from the other end: code points and their shortest forms.
#include "wire/utf8.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

using namespace wiremark;
using wire::is_ascii;
using wire::is_utf8;
using wire::utf8_prefix;

namespace {

void append(std::string& text, std::uint32_t point, int bytes) {
  constexpr unsigned kLead[] = {0, 0x00, 0xC0, 0xE0, 0xF0};
  text += static_cast<char>(kLead[bytes] | point >> (6 * (bytes - 1)));
  for (int left = bytes - 2; left >= 0; --left) {
    text += static_cast<char>(0x80 | (point >> (6 * left) & 0x3F));
  }
}

int shortest(std::uint32_t point) {
  return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
}

// A copy whose heap block ends with the text, so that ASan sees a read beyond.
bool valid(const std::string& text) {
  std::vector<char> exact(text.begin(), text.end());
  exact.shrink_to_fit();
  return is_utf8(as_bytes(std::string_view(exact.data(), exact.size())));
}

}  // namespace

TEST_CASE("every code point is UTF-8 in its shortest form only, and surrogates in none") {
  for (std::uint32_t point = 0; point < 0x1FFFFF; point += point < 0x11000 ? 1 : 97) {
    for (int bytes = 1; bytes <= 4; ++bytes) {
      if (shortest(point) > bytes || (bytes == 1 && point >= 0x80)) continue;
      std::string text = "ab";
      append(text, point, bytes);
      const bool surrogate = point >= 0xD800 && point < 0xE000;
      const bool right = bytes == shortest(point) && !surrogate && point <= 0x10FFFF;
      if (valid(text) == right && valid(text + "tail of more than 16 bytes") == right) continue;
      FAIL("code point ", point, " in ", bytes, " bytes");
    }
  }
}

TEST_CASE("the prefix ends at the lead byte of what is wrong") {
  CHECK(utf8_prefix(as_bytes("")) == 0);
  CHECK(utf8_prefix(as_bytes("abc")) == 3);
  CHECK(utf8_prefix(as_bytes("ab\xFF")) == 2);
  CHECK(utf8_prefix(as_bytes("sixteen bytes.. \xC3\xA9 \xE2\x82")) == 19);
  CHECK(utf8_prefix(as_bytes("\xC3")) == 0);
  CHECK(utf8_prefix(as_bytes("\xF0\x9F\x98")) == 0);
  CHECK(utf8_prefix(as_bytes("\x80")) == 0);
}

TEST_CASE("one high byte is seen at every place of every length") {
  for (std::size_t size = 0; size < 300; ++size) {
    std::vector<std::byte> text(size, std::byte{'x'});
    REQUIRE(is_ascii(text));
    for (std::size_t at = 0; at < size; ++at) {
      text[at] = std::byte{0x80};
      REQUIRE_FALSE(is_ascii(text));
      REQUIRE(utf8_prefix(text) == at);
      text[at] = std::byte{'x'};
    }
  }
}
