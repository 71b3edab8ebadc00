// Finds the bytes that a JSON string may hold without escapes, a block at a time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace wiremark::wire {

/// True for a byte that RFC 8259 forbids inside a string: it has to be escaped.
constexpr bool json_needs_escape(char byte) noexcept {
  return static_cast<unsigned char>(byte) < 0x20 || byte == '"' || byte == '\\';
}

/// The white space of RFC 8259, section 2.
constexpr bool json_is_space(char byte) noexcept {
  return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

/// The value of a hexadecimal digit, or -1.
constexpr int json_hex_value(char digit) noexcept {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

/// The bytes that are looked at together.
inline constexpr std::size_t kJsonBlock = 16;

#ifdef __SSE2__
inline __m128i json_block(const char* at) noexcept {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}

/// 0xFF in every byte of `block` that a string cannot hold as it is.
inline __m128i json_escapes(__m128i block) noexcept {
  const __m128i quote = _mm_cmpeq_epi8(block, _mm_set1_epi8('"'));
  const __m128i backslash = _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'));
  const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1F)), block);
  return _mm_or_si128(_mm_or_si128(quote, backslash), control);
}
#endif

// A bit for each byte of the block at `at`, the first in the lowest.

/// Those that are not ASCII, or that a string cannot hold as they are.
inline unsigned json_odd_bytes(const char* at) noexcept {
#ifdef __SSE2__
  const __m128i block = json_block(at);
  // The mask takes the highest bit of each byte, which is also set in what is not ASCII.
  return unsigned(_mm_movemask_epi8(_mm_or_si128(json_escapes(block), block)));
#else
  unsigned bits = 0;
  for (unsigned i = 0; i < kJsonBlock; ++i) {
    bits |= unsigned(json_needs_escape(at[i]) || (at[i] & 0x80) != 0) << i;
  }
  return bits;
#endif
}

/// Those that are no digits.
inline unsigned json_not_digits(const char* at) noexcept {
#ifdef __SSE2__
  // Without a sign, what is below '0' is far above 9.
  const __m128i from_zero = _mm_sub_epi8(json_block(at), _mm_set1_epi8('0'));
  const __m128i nine = _mm_min_epu8(from_zero, _mm_set1_epi8(9));
  return 0xFFFFU ^ unsigned(_mm_movemask_epi8(_mm_cmpeq_epi8(nine, from_zero)));
#else
  unsigned bits = 0;
  for (unsigned i = 0; i < kJsonBlock; ++i) bits |= unsigned(at[i] < '0' || at[i] > '9') << i;
  return bits;
#endif
}

/// The number of eight digit bytes 0..9, the first in the lowest byte.
constexpr std::uint64_t json_join_digits(std::uint64_t digits) noexcept {
  digits = (digits * 10 + (digits >> 8)) & 0x00FF'00FF'00FF'00FF;
  digits = (digits * 100 + (digits >> 16)) & 0x0000'FFFF'0000'FFFF;
  return (digits * 10'000 + (digits >> 32)) & 0xFFFF'FFFF;
}

/// How many of the first `size` bytes are ASCII without a need for escapes. Reads no further.
inline std::size_t json_plain_prefix(const char* text, std::size_t size) noexcept {
  std::size_t at = 0;
#ifdef __SSE2__
  for (; size - at >= 16; at += 16) {
    const unsigned found = json_odd_bytes(text + at);
    if (found != 0) return at + static_cast<std::size_t>(std::countr_zero(found));
  }
#endif
  while (at < size && !json_needs_escape(text[at]) && (text[at] & 0x80) == 0) ++at;
  return at;
}

}  // namespace wiremark::wire
