// Jumps along a chain of Y3 children, 64 positions at once with AVX-512 VBMI.
#include "wire/y3_walk.h"

#ifdef __x86_64__

#include <immintrin.h>

#include <array>
#include <numeric>

namespace wiremark::wire::y3 {

namespace {

// As in the AVX2 file, the functions carry their target and the file is built like all others.
#define WIREMARK_VBMI __attribute__((target("avx512f,avx512bw,avx512vbmi")))

// The number of each lane.
alignas(64) constexpr auto kLanes = [] {
  std::array<std::uint8_t, 64> lanes{};
  std::iota(lanes.begin(), lanes.end(), std::uint8_t{0});
  return lanes;
}();

// F holds where the step from a position ends; one that ends at 64 or later is final. Permuting F
// by itself takes two steps for one. The table is F without the children that are looked for, so
// that no jump passes them.
WIREMARK_VBMI inline __m512i doubled(__m512i f, __mmask64 others) noexcept {
  const __mmask64 inside = _mm512_cmplt_epu8_mask(f, _mm512_set1_epi8(64));
  const __m512i table = _mm512_maskz_mov_epi8(others, f);
  return _mm512_max_epu8(f, _mm512_maskz_permutexvar_epi8(inside, f, table));
}

// Lanes beyond `positions` (1 to 64) are neither read nor written: a masked load or store does not
// fault on them. Like the children that are looked for they are missing from the table, so that a
// jump ends with the first of them.
WIREMARK_VBMI inline void fill_block(const std::byte* tags, std::size_t positions, __m512i key,
                                     std::uint8_t* jumps) noexcept {
  const __mmask64 used = ~std::uint64_t{0} >> (64 - positions);
  const __m512i tag = _mm512_maskz_loadu_epi8(used, tags);
  const __m512i length = _mm512_maskz_loadu_epi8(used, tags + 1);
  const __mmask64 others = used & _mm512_cmpneq_epi8_mask(tag, key);
  const __mmask64 unusual =
      _mm512_test_epi8_mask(_mm512_or_si512(tag, length), _mm512_set1_epi8(-0x40));
  const __m512i lane = _mm512_load_si512(kLanes.data());
  const __m512i step = _mm512_add_epi8(_mm512_add_epi8(lane, _mm512_set1_epi8(2)), length);
  // An unusual child ends at 255, which is greater than all and so stays to the end.
  __m512i f = _mm512_mask_mov_epi8(step, unusual, _mm512_set1_epi8(-1));
  // A child has at least 2 bytes: 32 steps leave any block.
  for (int steps = 1; steps < 32; steps *= 2) f = doubled(f, others);
  _mm512_mask_storeu_epi8(jumps, used, _mm512_sub_epi8(f, lane));
}

}  // namespace

WIREMARK_VBMI void fill_jumps_vbmi(const std::byte* tags, std::size_t positions, std::uint8_t key,
                                   std::uint8_t* jumps) noexcept {
  const __m512i keys = _mm512_set1_epi8(static_cast<char>(key));
  for (std::size_t at = 0; at < positions; at += 64) {
    const std::size_t left = positions - at;
    fill_block(tags + at, left < 64 ? left : 64, keys, jumps + at);
  }
}

}  // namespace wiremark::wire::y3

#endif
