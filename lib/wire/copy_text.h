// Copying a content into a packet: what every encoder does last.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace wiremark::wire {

/// Copies `text` to `to`, which must have room for it; the two do not overlap. Writes and reads no
/// byte outside of them. memcpy(3) branches on the size; with short texts of random lengths most of
/// its branches are mispredicted. This has one path for most of them.
inline void copy_text(std::byte* to, std::string_view text) noexcept {
  const std::size_t size = text.size();
#ifdef __SSE2__
  if (size >= 32 && size <= 128) [[likely]] {
    // Two blocks of 32 bytes from each end, which overlap as far as the text is shorter.
    const std::size_t inner = (size - 1) >> 1 & 32;
    const std::size_t starts[] = {0, inner, size - 32 - inner, size - 32};
    __m128i blocks[8];
    for (std::size_t i = 0; i < 8; ++i) {
      const char* const from = text.data() + starts[i / 2] + 16 * (i % 2);
      blocks[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    }
    for (std::size_t i = 0; i < 8; ++i) {
      std::byte* const into = to + starts[i / 2] + 16 * (i % 2);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(into), blocks[i]);
    }
    return;
  }
#endif
  // The content of an empty message may be a null pointer, which memcpy(3) must not see.
  if (size != 0) std::memcpy(to, text.data(), size);
}

}  // namespace wiremark::wire
