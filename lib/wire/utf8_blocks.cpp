// UTF-8 by three tables of nibbles, 32 or 64 bytes at once. The idea is Keiser's and Lemire's
// ("Validating UTF-8 in less than one instruction per byte", 2020): but for a lead byte's third and
// fourth byte, whether two neighbours may stand together depends on three of their four nibbles.
#include "wire/utf8_blocks.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "wire/utf8.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace wiremark::wire {

namespace {

bool check_scalar(Bytes text) noexcept { return utf8_prefix(text) == text.size(); }

#ifdef __x86_64__

// What is wrong with a byte and the one behind it: the rule of its bit is broken where all three
// nibbles are in its sets. A set has bit N for the nibble N.
struct Rule {
  std::uint16_t first_high;
  std::uint16_t first_low;
  std::uint16_t second_high;
};

constexpr std::uint16_t nibbles(unsigned from, unsigned to) {
  return static_cast<std::uint16_t>((2U << to) - (1U << from));
}

constexpr std::uint16_t kAny = nibbles(0, 15);
constexpr std::uint16_t kContinuation = nibbles(8, 11);

constexpr std::array<Rule, 8> kRules{{
    {nibbles(12, 15), kAny, kAny & ~kContinuation},        // A lead byte without continuation.
    {nibbles(0, 7), kAny, kContinuation},                  // A continuation behind ASCII.
    {nibbles(12, 12), nibbles(0, 1), kContinuation},       // Overlong, of two bytes.
    {nibbles(14, 14), nibbles(0, 0), nibbles(8, 9)},       // Overlong, of three.
    {nibbles(14, 14), nibbles(13, 13), nibbles(10, 11)},   // A surrogate.
    {nibbles(15, 15), nibbles(4, 15), nibbles(9, 11)},     // Over U+10FFFF.
    {nibbles(15, 15), 1 | nibbles(5, 15), nibbles(8, 8)},  // Overlong of four, or far over.
    {kContinuation, kAny, kContinuation},                  // Two continuations, see below.
}};

// The last rule is no error by itself: two continuations stand together exactly where a third or
// fourth byte is due, so that the one is compared with the other.
constexpr std::uint8_t kTwoContinuations = 0x80;

using Table = std::array<std::uint8_t, 16>;

// For each nibble the bits of the rules whose set it is in.
constexpr Table table_of(std::uint16_t Rule::* set) {
  Table table{};
  for (unsigned nibble = 0; nibble < 16; ++nibble) {
    for (unsigned rule = 0; rule < kRules.size(); ++rule) {
      if ((kRules[rule].*set >> nibble & 1) != 0) table[nibble] |= std::uint8_t(1U << rule);
    }
  }
  return table;
}

alignas(16) constexpr Table kFirstHigh = table_of(&Rule::first_high);
alignas(16) constexpr Table kFirstLow = table_of(&Rule::first_low);
alignas(16) constexpr Table kSecondHigh = table_of(&Rule::second_high);

// Does the text end within a sequence? Looked at apart, since pairs have a second byte.
bool is_cut(Bytes text) noexcept {
  constexpr std::array<std::byte, 3> kLeads{std::byte{0xC0}, std::byte{0xE0}, std::byte{0xF0}};
  for (std::size_t left = 1; left <= kLeads.size() && left <= text.size(); ++left) {
    if (text[text.size() - left] >= kLeads[left - 1]) return true;
  }
  return false;
}

// The functions carry their target, so that the file is built with the flags of all others and no
// inline function of a header gets instructions that an older processor does not have.
#define WIREMARK_AVX2 __attribute__((target("avx2")))

WIREMARK_AVX2 inline __m256i look_up(const Table& table, __m256i nibbles) noexcept {
  const __m128i half = _mm_load_si128(reinterpret_cast<const __m128i*>(table.data()));
  return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(half), nibbles);
}

// Not zero in a byte that must not follow those before it; `before1` to `before3` are the bytes
// one to three places back.
WIREMARK_AVX2 inline __m256i wrong_bytes(__m256i here, __m256i before1, __m256i before2,
                                         __m256i before3) noexcept {
  const __m256i low = _mm256_set1_epi8(0x0F);
  const auto high_nibbles = [low](__m256i bytes) WIREMARK_AVX2 {
    return _mm256_and_si256(_mm256_srli_epi16(bytes, 4), low);
  };
  const __m256i broken =
      _mm256_and_si256(_mm256_and_si256(look_up(kFirstHigh, high_nibbles(before1)),
                                        look_up(kFirstLow, _mm256_and_si256(before1, low))),
                       look_up(kSecondHigh, high_nibbles(here)));
  // Saturated: the highest bit stays only of a lead of three bytes, or of four.
  const __m256i third = _mm256_subs_epu8(before2, _mm256_set1_epi8(0xE0 - 0x80));
  const __m256i fourth = _mm256_subs_epu8(before3, _mm256_set1_epi8(0xF0 - 0x80));
  const __m256i due = _mm256_and_si256(_mm256_or_si256(third, fourth),
                                       _mm256_set1_epi8(static_cast<char>(kTwoContinuations)));
  return _mm256_xor_si256(broken, due);
}

WIREMARK_AVX2 inline __m256i load(const std::byte* from) noexcept {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

WIREMARK_AVX2 inline __m256i wrong_behind_others(const std::byte* at) noexcept {
  return wrong_bytes(load(at), load(at - 1), load(at - 2), load(at - 3));
}

// The first block of a text of at least 32 bytes. What stands before it counts as ASCII.
WIREMARK_AVX2 inline __m256i wrong_at_begin(const std::byte* at) noexcept {
  const __m256i here = load(at);
  const __m256i lower = _mm256_permute2x128_si256(here, here, 0x08);
  return wrong_bytes(here, _mm256_alignr_epi8(here, lower, 15), _mm256_alignr_epi8(here, lower, 14),
                     _mm256_alignr_epi8(here, lower, 13));
}

// The first and the last 16 bytes of a text of at least 19, side by side.
WIREMARK_AVX2 inline __m256i wrong_at_ends(Bytes text) noexcept {
  const auto first = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data()));
  const std::byte* const last = text.data() + text.size() - 16;
  const auto beside = [last](__m128i low, int back) WIREMARK_AVX2 {
    return _mm256_set_m128i(_mm_loadu_si128(reinterpret_cast<const __m128i*>(last - back)), low);
  };
  return wrong_bytes(beside(first, 0), beside(_mm_bslli_si128(first, 1), 1),
                     beside(_mm_bslli_si128(first, 2), 2), beside(_mm_bslli_si128(first, 3), 3));
}

// Behind ASCII: the first block from `at` on, at most `last`, that may hold more.
WIREMARK_AVX2 inline const std::byte* skip_ascii(const std::byte* at,
                                                 const std::byte* last) noexcept {
  for (; last - at >= 128; at += 128) {
    const __m256i front = _mm256_or_si256(load(at), load(at + 32));
    const __m256i back = _mm256_or_si256(load(at + 64), load(at + 96));
    if (_mm256_movemask_epi8(_mm256_or_si256(front, back)) != 0) break;
  }
  return at;
}

// Up to 16 bytes, and zeros behind them. Whole words from both ends, of which the upper loses what
// the lower has already.
WIREMARK_AVX2 inline __m128i load_up_to_16(Bytes text) noexcept {
  const std::byte* const from = text.data();
  const std::size_t size = text.size();
  std::uint64_t upper = 0;
  std::uint64_t lower = 0;
  if (size > 8) {
    upper = load_le<std::uint64_t>(from + size - 8) >> (8 * (16 - size));
    lower = load_le<std::uint64_t>(from);
  } else if (size >= 4) {
    lower = load_le<std::uint32_t>(from + size - 4);
    lower = lower << (8 * (size - 4)) | load_le<std::uint32_t>(from);
  } else {
    for (std::size_t i = size; i > 0; --i)
      lower = lower << 8 | std::to_integer<unsigned>(from[i - 1]);
  }
  return _mm_set_epi64x(static_cast<std::int64_t>(upper), static_cast<std::int64_t>(lower));
}

// All of a text of less than 32 bytes. A cut sequence shows in the zeros behind its end.
WIREMARK_AVX2 inline __m256i wrong_in_short(Bytes text) noexcept {
  const std::size_t first_size = std::min<std::size_t>(text.size(), 16);
  const __m128i first = load_up_to_16(text.first(first_size));
  const __m128i rest = load_up_to_16(text.subspan(first_size));
  return wrong_bytes(_mm256_set_m128i(rest, first),
                     _mm256_set_m128i(_mm_alignr_epi8(rest, first, 15), _mm_bslli_si128(first, 1)),
                     _mm256_set_m128i(_mm_alignr_epi8(rest, first, 14), _mm_bslli_si128(first, 2)),
                     _mm256_set_m128i(_mm_alignr_epi8(rest, first, 13), _mm_bslli_si128(first, 3)));
}

WIREMARK_AVX2 bool check_avx2(Bytes text) noexcept {
  constexpr std::size_t kBlock = 32;
  __m256i wrong;
  if (text.size() < 19) {
    wrong = wrong_in_short(text);
    return _mm256_testz_si256(wrong, wrong) != 0;
  }
  if (text.size() <= kBlock) {
    wrong = wrong_at_ends(text);
  } else {
    // The last block overlaps the one before it: pairs seen twice are judged alike.
    const std::byte* const last = text.data() + text.size() - kBlock;
    wrong = wrong_at_begin(text.data());
    for (const std::byte* at = text.data() + kBlock; at < last; at += kBlock) {
      if (_mm256_movemask_epi8(_mm256_or_si256(load(at - 3), load(at))) == 0) {
        at = skip_ascii(at, last);
      }
      wrong = _mm256_or_si256(wrong, wrong_behind_others(at));
    }
    // With less than three bytes before the last block, its end is judged alone.
    const bool has_before = text.size() >= kBlock + 3;
    wrong = _mm256_or_si256(wrong, has_before ? wrong_behind_others(last) : wrong_at_ends(text));
  }
  return _mm256_testz_si256(wrong, wrong) != 0 && !is_cut(text);
}

#define WIREMARK_AVX512 __attribute__((target("avx512bw")))

// Of instructions that g++ 12 warns of, the form with a mask that leaves nothing out.
WIREMARK_AVX512 inline __m512i look_up_64(const Table& table, __m512i nibbles) noexcept {
  const __m128i once = _mm_load_si128(reinterpret_cast<const __m128i*>(table.data()));
  return _mm512_shuffle_epi8(_mm512_maskz_broadcast_i32x4(0xFFFF, once), nibbles);
}

// As wrong_bytes(), for 64 bytes and those `before` them.
WIREMARK_AVX512 inline __m512i wrong_behind(__m512i here, __m512i before) noexcept {
  const __m512i low = _mm512_set1_epi8(0x0F);
  const auto high_nibbles = [low](__m512i bytes) WIREMARK_AVX512 {
    return _mm512_and_si512(_mm512_srli_epi16(bytes, 4), low);
  };
  // Each 16 bytes get those that stand before them, so that bytes move from one to the other.
  const __m512i lower = _mm512_maskz_alignr_epi64(0xFF, here, before, 6);
  const __m512i before1 = _mm512_alignr_epi8(here, lower, 15);
  const __m512i broken =
      _mm512_and_si512(_mm512_and_si512(look_up_64(kFirstHigh, high_nibbles(before1)),
                                        look_up_64(kFirstLow, _mm512_and_si512(before1, low))),
                       look_up_64(kSecondHigh, high_nibbles(here)));
  const __m512i third =
      _mm512_subs_epu8(_mm512_alignr_epi8(here, lower, 14), _mm512_set1_epi8(0xE0 - 0x80));
  const __m512i fourth =
      _mm512_subs_epu8(_mm512_alignr_epi8(here, lower, 13), _mm512_set1_epi8(0xF0 - 0x80));
  const __m512i due = _mm512_and_si512(_mm512_or_si512(third, fourth),
                                       _mm512_set1_epi8(static_cast<char>(kTwoContinuations)));
  return _mm512_xor_si512(broken, due);
}

WIREMARK_AVX512 bool check_avx512(Bytes text) noexcept {
  constexpr std::size_t kBlock = 64;
  const std::byte* at = text.data();
  std::size_t left = text.size();
  __m512i wrong = _mm512_setzero_si512();
  __m512i before = wrong;
  for (; left >= kBlock; at += kBlock, left -= kBlock) {
    const __m512i here = _mm512_loadu_si512(at);
    if (_mm512_movepi8_mask(_mm512_or_si512(here, before)) != 0) {
      wrong = _mm512_or_si512(wrong, wrong_behind(here, before));
    }
    before = here;
  }
  // What the mask leaves out is not read. It counts as zeros, in which a cut sequence shows.
  const __m512i last = _mm512_maskz_loadu_epi8((std::uint64_t{1} << left) - 1, at);
  wrong = _mm512_or_si512(wrong, wrong_behind(last, before));
  return _mm512_test_epi8_mask(wrong, wrong) == 0;
}

std::array<Utf8Kind, 3> detect_checks() noexcept {
  __builtin_cpu_init();
  // Processors that have AVX-512 but not VBMI clock lower for its sake.
  const bool has_wide = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi");
  return {{{"scalar", check_scalar, true},
           {"avx2", check_avx2, __builtin_cpu_supports("avx2") != 0},
           {"avx512", check_avx512, has_wide}}};
}

#else

std::array<Utf8Kind, 1> detect_checks() noexcept { return {{{"scalar", check_scalar, true}}}; }

#endif

}  // namespace

std::span<const Utf8Kind> utf8_kinds() noexcept {
  static const auto kinds = detect_checks();
  return kinds;
}

bool is_utf8_by_blocks(Bytes text) noexcept {
  static const Utf8Check fastest =
      std::find_if(utf8_kinds().rbegin(), utf8_kinds().rend(), [](const Utf8Kind& kind) {
        return kind.is_supported;
      })->check;
  return fastest(text);
}

}  // namespace wiremark::wire
