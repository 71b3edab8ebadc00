// UTF-8 against a decoder that works the other way: it encodes code points in their shortest forms.
#include "wire/utf8.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "wire/utf8_blocks.h"

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

// What every way to judge a text says, which must be one thing. A copy whose heap block ends with
// the text, so that ASan sees a read beyond.
bool valid(const std::string& text) {
  const std::vector<char> exact(text.begin(), text.end());
  const auto bytes = as_bytes(std::string_view(exact.data(), exact.size()));
  const bool right = is_utf8(bytes);
  for (const wire::Utf8Kind& kind : wire::utf8_kinds()) {
    if (kind.is_supported && kind.check(bytes) != right) FAIL(kind.name, " differs: ", text);
  }
  return right;
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

TEST_CASE("what is wrong is seen at every place of every length, and whatever stands around it") {
  const std::string_view wrong[] = {"\x80",
                                    "\xC3",
                                    "\xC1\xBF",
                                    "\xE2\x82",
                                    "\xE0\x9F\xBF",
                                    "\xED\xA0\x80",
                                    "\xF0\x9F\x98",
                                    "\xF0\x8F\xBF\xBF",
                                    "\xF4\x90\x80\x80",
                                    "\xF5\x80\x80\x80",
                                    "\xFF",
                                    "\xC3\xA9\xA9",
                                    "\xE2\x82\xAC\x80",
                                    "\xF0\x9F\x98\x80\xBF"};
  const std::string_view around[] = {"x", "\xD0\xB6", "\xE4\xB8\xAD", "\xF0\x9F\x98\x80"};
  for (const std::string_view one : around) {
    for (std::size_t before = 0; before < 100; ++before) {
      for (const std::size_t after : {0, 1, 30, 70}) {
        std::string text;
        for (std::size_t i = 0; i < before; ++i) text += i % 7 == 6 ? " " : one;
        const std::size_t at = text.size();
        for (std::size_t i = 0; i < after; ++i) text += one;
        REQUIRE(valid(text));
        for (const std::string_view here : wrong) {
          std::string bad = text;
          bad.insert(at, here);
          REQUIRE_FALSE(valid(bad));
        }
      }
    }
  }
}

TEST_CASE("random bytes are judged alike, whatever way") {
  std::minstd_rand random(7);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    while (text.size() < random() % 150) {
      append(text, std::uint32_t(random() % 0x110000 >> random() % 20), 1 + int(random() % 4));
    }
    if (round % 2 == 0 && !text.empty()) text.resize(random() % text.size());
    valid(text);
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
