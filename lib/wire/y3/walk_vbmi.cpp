// Walks a chain of Y3 children 128 positions at a time with AVX-512 VBMI.
#include "wire/y3/walk.h"

#ifdef __x86_64__

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace wiremark::wire::y3 {

namespace {

// As in jumps_avx2.cpp, only these functions are compiled for AVX-512.
#define WIREMARK_VBMI __attribute__((target("avx512f,avx512bw,avx512vbmi")))

constexpr std::size_t kBlock = 128;
constexpr __mmask64 kAll = ~std::uint64_t{0};

// The number of each position of a block.
alignas(64) constexpr auto kPlaces = [] {
  std::array<std::uint8_t, kBlock> places{};
  std::iota(places.begin(), places.end(), std::uint8_t{0});
  return places;
}();

// Where the walk goes from each of 64 positions: to the next child of the block; to itself from a
// child with the key, an unusual one and the last one. Positions beyond `used` are not read: a
// masked load does not fault on them.
WIREMARK_VBMI inline __m512i first_steps(const std::byte* tags, std::size_t from, __mmask64 used,
                                         __m512i key, __m512i positions) noexcept {
  const __m512i tag = _mm512_maskz_loadu_epi8(used, tags + from);
  const __m512i length = _mm512_maskz_loadu_epi8(used, tags + from + 1);
  const __m512i place = _mm512_load_si512(kPlaces.data() + from);
  const __m512i next = _mm512_add_epi8(_mm512_add_epi8(place, _mm512_set1_epi8(2)), length);
  const __mmask64 unusual =
      _mm512_test_epi8_mask(_mm512_or_si512(tag, length), _mm512_set1_epi8(-0x40));
  const __mmask64 stops =
      unusual | _mm512_cmpeq_epi8_mask(tag, key) | _mm512_cmpge_epu8_mask(next, positions);
  return _mm512_mask_mov_epi8(next, stops, place);
}

// For each position of a block, where the walk from there ends in the block. Walks go forward, so
// the second half of 64 never leads to the first.
struct LastPlaces {
  __m512i low;
  __m512i high;
};

// Permuting the steps by themselves doubles them; an end leads to itself. `positions` is 1 to
// kBlock.
WIREMARK_VBMI inline LastPlaces last_places(const std::byte* tags, std::size_t positions,
                                            unsigned key) noexcept {
  const __m512i keys = _mm512_set1_epi8(static_cast<char>(key));
  const __m512i ends = _mm512_set1_epi8(static_cast<char>(positions));
  const __mmask64 low_used = positions < 64 ? kAll >> (64 - positions) : kAll;
  const __mmask64 high_used = positions > 64 ? kAll >> (kBlock - positions) : 0;
  LastPlaces last = {first_steps(tags, 0, low_used, keys, ends),
                     first_steps(tags, 64, high_used, keys, ends)};
  // A child has at least 2 bytes: 64 steps leave any block.
  for (int steps = 1; steps < 64; steps *= 2) {
    last.low = _mm512_permutex2var_epi8(last.low, last.low, last.high);
    last.high = _mm512_maskz_permutexvar_epi8(kAll, last.high, last.high);
  }
  return last;
}

WIREMARK_VBMI inline std::size_t first_of(__m512i places) noexcept {
  return static_cast<std::uint8_t>(_mm512_cvtsi512_si32(places));
}

WIREMARK_VBMI inline std::size_t last_from(const LastPlaces& last, std::size_t place) noexcept {
  const __m512i places = _mm512_set1_epi8(static_cast<char>(place));
  return first_of(_mm512_permutex2var_epi8(last.low, places, last.high));
}

}  // namespace

WIREMARK_VBMI std::size_t walk_vbmi(Bytes children, unsigned key, bool whole) noexcept {
  const std::size_t size = children.size();
  if (size < kSimdNodeMin) return walk_scalar(children, key, whole);
  // The last byte cannot be the start of a child, which has a length too.
  const std::size_t last = size - 1;
  constexpr unsigned kNoKey = 0xFF;  // No primitive has this tag.
  std::size_t found = kAbsent;
  std::size_t at = 0;
  while (at < last) {
    const std::size_t begin = at;
    const std::size_t positions = std::min(kBlock, last - begin);
    const LastPlaces places =
        last_places(children.data() + begin, positions, found == kAbsent ? key : kNoKey);
    for (std::size_t place = first_of(places.low);;) {
      at = begin + place;
      const auto tag = std::to_integer<unsigned>(children[at]);
      const auto length = std::to_integer<std::size_t>(children[at + 1]);
      if (tag == key && found == kAbsent) {
        if (!whole) return length < 0x40 && length <= size - at - 2 ? at : kUnusual;
        found = at;
      }
      if ((tag | length) >= 0x40) return kUnusual;
      at += 2 + length;
      // Go on with the next block, unless this one already ended with the last position.
      if (begin + positions != last || at >= last) break;
      place = last_from(places, at - begin);
    }
  }
  return at == size ? found : kUnusual;
}

}  // namespace wiremark::wire::y3

#endif
