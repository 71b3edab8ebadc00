// Jumps along a chain of Y3 children, 32 positions at once with AVX2.
#include "wire/y3/walk.h"

#ifdef __x86_64__

#include <immintrin.h>

namespace wiremark::wire::y3 {

namespace {

// Only these functions are compiled for AVX2. With a flag for the whole file, inline functions of
// headers could get instructions that an older processor does not have.
#define WIREMARK_AVX2 __attribute__((target("avx2")))

// In each half of 16 positions, F holds where the step from a position ends, counted from the first
// position of the half; a step that ends outside the half is final. Shuffling F by itself doubles
// the steps. Adding 0x70 raises final indexes above 0x7F, for which the shuffle gives 0 and max()
// keeps F. The table is F without the children that are looked for, so that no jump passes them.
WIREMARK_AVX2 inline __m256i doubled(__m256i f, __m256i hits) noexcept {
  const __m256i index = _mm256_adds_epu8(f, _mm256_set1_epi8(0x70));
  return _mm256_max_epu8(f, _mm256_shuffle_epi8(_mm256_andnot_si256(hits, f), index));
}

WIREMARK_AVX2 inline void fill_block(const std::byte* tags, __m256i key,
                                     std::uint8_t* jumps) noexcept {
  const __m256i tag = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(tags));
  const __m256i length = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(tags + 1));
  const __m256i hits = _mm256_cmpeq_epi8(tag, key);
  const __m256i high = _mm256_and_si256(_mm256_or_si256(tag, length), _mm256_set1_epi8(-0x40));
  const __m256i plain = _mm256_cmpeq_epi8(high, _mm256_setzero_si256());
  const __m256i lane = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
  const __m256i step = _mm256_add_epi8(_mm256_add_epi8(lane, _mm256_set1_epi8(2)), length);
  // An unusual child ends at 255, the maximum, and so stays to the end.
  __m256i f = _mm256_or_si256(step, _mm256_xor_si256(plain, _mm256_set1_epi8(-1)));
  // A child has at least 2 bytes: 8 steps leave any half.
  f = doubled(doubled(doubled(f, hits), hits), hits);
  // A jump from the lower half that ends in the upper one, at 16 to 31, goes on from there. One
  // that stopped at a hit below 16 wraps around, so that the shuffle gives 0 for it too.
  const __m256i sixteen = _mm256_set1_epi8(16);
  const __m256i table = _mm256_andnot_si256(hits, _mm256_adds_epu8(f, sixteen));
  const __m256i upper = _mm256_permute2x128_si256(table, table, 0x81);
  const __m256i index = _mm256_adds_epu8(_mm256_sub_epi8(f, sixteen), _mm256_set1_epi8(0x70));
  f = _mm256_max_epu8(f, _mm256_shuffle_epi8(upper, index));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(jumps), _mm256_sub_epi8(f, lane));
}

}  // namespace

WIREMARK_AVX2 void fill_jumps_avx2(const std::byte* tags, std::size_t positions, std::uint8_t key,
                                   std::uint8_t* jumps) noexcept {
  const __m256i keys = _mm256_set1_epi8(static_cast<char>(key));
  std::size_t at = 0;
  for (; at + 32 <= positions; at += 32) fill_block(tags + at, keys, jumps + at);
  // The last block ends with the last position and may repeat some positions.
  if (at < positions) fill_block(tags + positions - 32, keys, jumps + positions - 32);
}

}  // namespace wiremark::wire::y3

#endif
