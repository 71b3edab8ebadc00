// Whether a text is UTF-8: one answer for every codec.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/bytes.h"

namespace wiremark::wire {

/// The offset of the first byte that breaks RFC 3629 (bad lead or continuation, overlong form,
/// surrogate, over U+10FFFF, cut sequence: the offset is that of its lead byte), or text.size().
std::size_t utf8_prefix(Bytes text) noexcept;

/// True when no byte of `text` has its highest bit set. Never reads outside it.
inline bool is_ascii(Bytes text) noexcept {
  constexpr std::uint64_t kHighBits = 0x8080808080808080U;
  const std::byte* at = text.data();
  const std::size_t size = text.size();
  // A text of at least one block is covered by whole blocks, the last of which may overlap the one
  // before it: that reads no byte outside, and texts of most sizes take the same few branches.
#ifdef __SSE2__
  const auto block = [at](std::size_t from) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + from));
  };
  const auto two = [block](std::size_t from) {
    return _mm_or_si128(block(from), block(from + 16));
  };
  if (size >= 32 && size <= 128) [[likely]] {
    // Two blocks from each end, which overlap below 64 bytes: one path without branches for texts
    // of any such length.
    const std::size_t inner = (size - 1) >> 1 & 32;
    const __m128i ends = _mm_or_si128(two(0), two(size - 32));
    const __m128i middle = _mm_or_si128(two(inner), two(size - 32 - inner));
    if (_mm_movemask_epi8(_mm_or_si128(ends, middle)) != 0) [[unlikely]]
      return false;
    return true;
  }
  if (size > 128) {
    __m128i seen = _mm_or_si128(two(size - 64), two(size - 32));
    for (std::size_t from = 0; from + 64 < size; from += 64) {
      seen = _mm_or_si128(seen, _mm_or_si128(two(from), two(from + 32)));
    }
    return _mm_movemask_epi8(seen) == 0;
  }
  if (size >= 16) return _mm_movemask_epi8(_mm_or_si128(block(0), block(size - 16))) == 0;
#endif
  if (size >= 8) {
    std::uint64_t seen = load_le<std::uint64_t>(at + size - 8);
    for (std::size_t from = 0; from + 8 < size; from += 8) {
      seen |= load_le<std::uint64_t>(at + from);
    }
    return (seen & kHighBits) == 0;
  }
  std::uint64_t seen = 0;
  if (size >= 4) {
    seen = load_le<std::uint32_t>(at) | load_le<std::uint32_t>(at + size - 4);
  } else if (size > 0) {
    seen = std::to_integer<std::uint64_t>(at[0] | at[size / 2] | at[size - 1]);
  }
  return (seen & kHighBits) == 0;
}

/// The same as is_utf8(), for texts that are long or known to hold more than ASCII.
bool is_utf8_by_blocks(Bytes text) noexcept;

/// True when `text` is UTF-8 as RFC 3629 has it.
inline bool is_utf8(Bytes text) noexcept {
  return (text.size() <= 128 && is_ascii(text)) || is_utf8_by_blocks(text);
}

}  // namespace wiremark::wire
