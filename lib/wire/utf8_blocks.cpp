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

WIREMARK_AVX2 bool check_avx2(Bytes text) noexcept {
  constexpr std::size_t kBlock = 32;
  if (text.size() < 19) return check_scalar(text);
  __m256i wrong;
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

std::array<Utf8Kind, 2> detect() noexcept {
  __builtin_cpu_init();
  return {
      {{"scalar", check_scalar, true}, {"avx2", check_avx2, __builtin_cpu_supports("avx2") != 0}}};
}

#else

std::array<Utf8Kind, 1> detect() noexcept { return {{{"scalar", check_scalar, true}}}; }

#endif

}  // namespace

std::span<const Utf8Kind> utf8_kinds() noexcept {
  static const auto kinds = detect();
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
