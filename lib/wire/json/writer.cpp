// Writes numbers by arithmetic on all digits at once and texts by blocks; only what needs escapes
// is written byte by byte.
#include "wire/json/writer.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "wire/json/text.h"
#include "wire/utf8.h"

namespace wiremark::wire {
namespace {

constexpr std::uint32_t kTenTo8 = 100'000'000;

char* put(char* to, std::string_view text) {
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

/// The eight decimal digits of a number below 10^8 as bytes 0..9, the first in the lowest byte.
/// Each step splits all lanes at once. The factors are 2^20/100 and 2^10/10 rounded up, which give
/// exact quotients for lanes of four and two digits.
std::uint64_t eight_digits(std::uint32_t number) {
  const std::uint64_t fours = number / 10'000 | std::uint64_t{number % 10'000} << 32;
  const std::uint64_t upper_twos = (fours * 10'486 >> 20) & 0x0000'007F'0000'007F;
  const std::uint64_t twos = upper_twos | (fours - 100 * upper_twos) << 16;
  const std::uint64_t upper_ones = (twos * 103 >> 10) & 0x000F'000F'000F'000F;
  return upper_ones | (twos - 10 * upper_ones) << 8;
}

/// Writes up to 8 bytes beyond the number's end.
char* put_integer(char* to, std::int32_t number) {
  constexpr std::uint64_t kZeros = 0x3030'3030'3030'3030;
  auto left = static_cast<std::uint32_t>(number);
  *to = '-';
  if (number < 0) {
    ++to;
    left = 0 - left;
  }
  if (left >= kTenTo8) [[unlikely]] {
    const std::uint32_t front = left / kTenTo8;
    if (front >= 10) *to++ = static_cast<char>('0' + front / 10);
    *to++ = static_cast<char>('0' + front % 10);
    store_le(reinterpret_cast<std::byte*>(to), eight_digits(left % kTenTo8) | kZeros);
    return to + 8;
  }
  const std::uint64_t digits = eight_digits(left);
  // The last digit is written even when it is 0.
  const int zeros = std::countr_zero(digits | std::uint64_t{1} << 56) / 8;
  store_le(reinterpret_cast<std::byte*>(to), (digits | kZeros) >> (8 * zeros));
  return to + 8 - zeros;
}

/// What a text consists of, which decides how it can be written.
struct Made {
  bool plain = true;  ///< No byte needs an escape.
  bool ascii = true;
};

Made copy_short(char* to, std::string_view text) {
  Made made;
  for (const char byte : text) {
    made.plain &= !json_needs_escape(byte);
    made.ascii &= (byte & 0x80) == 0;
    *to++ = byte;
  }
  return made;
}

/// Copies `text` unchanged and tells whether that was right.
Made copy_whole(char* to, std::string_view text) {
#ifdef __SSE2__
  const std::size_t size = text.size();
  if (size >= 16) {
    // The last block overlaps the one before it, which spares a loop over the tail.
    __m128i escapes = _mm_setzero_si128();
    __m128i seen = escapes;
    const auto copy_block = [&](std::size_t at) {
      const __m128i block = json_block(text.data() + at);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + at), block);
      escapes = _mm_or_si128(escapes, json_escapes(block));
      seen = _mm_or_si128(seen, block);
    };
    for (std::size_t at = 0; at + 16 < size; at += 16) copy_block(at);
    copy_block(size - 16);
    return {.plain = _mm_movemask_epi8(escapes) == 0, .ascii = _mm_movemask_epi8(seen) == 0};
  }
#endif
  return copy_short(to, text);
}

char* put_escape(char* to, char byte) {
  constexpr std::string_view kShort = "\"\"\\\\\bb\ff\nn\rr\tt";
  constexpr std::string_view kHex = "0123456789abcdef";
  *to++ = '\\';
  for (std::size_t at = 0; at < kShort.size(); at += 2) {
    if (kShort[at] == byte) {
      *to = kShort[at + 1];
      return to + 1;
    }
  }
  to = put(to, "u00");
  *to++ = kHex[static_cast<unsigned char>(byte) >> 4];
  *to++ = kHex[byte & 15];
  return to;
}

[[gnu::noinline]] char* put_escaped(char* to, std::string_view text) {
  while (!text.empty()) {
    const std::size_t plain = json_plain_prefix(text.data(), text.size());
    to = put(to, text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    if (json_needs_escape(text[0])) {
      to = put_escape(to, text[0]);
    } else {
      *to++ = text[0];
    }
    text.remove_prefix(1);
  }
  return to;
}

/// Writes what comes between the quotes; nullptr when it is not UTF-8.
char* put_text(char* to, std::string_view text) {
  const Made made = copy_whole(to, text);
  if (!made.ascii && !is_utf8_by_blocks(as_bytes(text))) return nullptr;
  return made.plain ? to + text.size() : put_escaped(to, text);
}

}  // namespace

std::size_t write_json(const Message& message, MutableBytes to) noexcept {
  if (to.size() < json_max_size(message)) return 0;
  auto* const start = reinterpret_cast<char*>(to.data());
  char* at = put(start, R"({"head":)");
  at = put_integer(at, message.head);
  at = put(at, R"(,"guid":)");
  at = put_integer(at, message.guid);
  at = put(at, R"(,"content":")");
  at = put_text(at, message.content);
  if (at == nullptr) return 0;
  at = put(at, R"("})");
  return static_cast<std::size_t>(at - start);
}

char* write_json_text(char* to, std::string_view text) noexcept {
  *to = '"';
  to = put_text(to + 1, text);
  if (to == nullptr) return nullptr;
  *to = '"';
  return to + 1;
}

}  // namespace wiremark::wire
