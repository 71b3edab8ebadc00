// Finds a sequence id among the children of a Y3 node: one child at a time, or many by SIMD.
#include "wire/y3/walk.h"

#include <algorithm>

#include "wire/y3/varint.h"

namespace wiremark::wire::y3 {

namespace {

#ifdef __x86_64__

static_assert(kSimdNodeMin > kJumpsMin);

// A plain walk is a chain of loads, each waiting for the one before: 6 cycles a child. Here the
// jumps of all positions are computed side by side, and each jump, over several children, is one
// load.
std::size_t walk_avx2(Bytes children, unsigned key, bool whole) noexcept {
  const std::size_t size = children.size();
  if (size < kSimdNodeMin) return walk_scalar(children, key, whole);
  const std::byte tag{static_cast<std::uint8_t>(key)};
  // The last byte cannot be the start of a child, which has a length too.
  const std::size_t last = size - 1;
  std::array<std::uint8_t, kJumpsMax> jumps;
  std::size_t found = kAbsent;
  std::size_t at = 0;
  while (at < last) {
    const std::size_t begin = std::min(at, last - kJumpsMin);
    const std::size_t positions = std::min(kJumpsMax, last - begin);
    fill_jumps_avx2(children.data() + begin, positions, static_cast<std::uint8_t>(key),
                    jumps.data());
    while (at < begin + positions) {
      if (children[at] == tag && found == kAbsent) {
        const auto length = std::to_integer<std::size_t>(children[at + 1]);
        if (!whole) return length < 0x40 && length <= size - at - 2 ? at : kUnusual;
        found = at;
      }
      const std::uint8_t jump = jumps[at - begin];
      if (jump >= kUnusualJump) return kUnusual;
      at += jump;
    }
  }
  return at == size ? found : kUnusual;
}

std::array<WalkKind, 3> detect_walks() noexcept {
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") != 0;
  const bool vbmi = __builtin_cpu_supports("avx512f") != 0 &&
                    __builtin_cpu_supports("avx512bw") != 0 &&
                    __builtin_cpu_supports("avx512vbmi") != 0;
  return {
      {{"scalar", walk_scalar, true}, {"avx2", walk_avx2, avx2}, {"avx512vbmi", walk_vbmi, vbmi}}};
}

#else

std::array<WalkKind, 1> detect_walks() noexcept { return {{{"scalar", walk_scalar, true}}}; }

#endif

}  // namespace

std::size_t walk_scalar(Bytes children, unsigned key, bool whole) noexcept {
  const std::size_t size = children.size();
  std::size_t found = kAbsent;
  std::size_t at = 0;
  while (size - at >= 2) {
    const auto tag = std::to_integer<unsigned>(children[at]);
    std::size_t length = std::to_integer<std::size_t>(children[at + 1]);
    std::size_t header = 2;
    if ((tag | length) >= 0x40) [[unlikely]] {
      std::size_t length_bytes = 0;
      if (tag >= 0x40) return kUnusual;
      const DecodeErrorKind error = get_length(children.subspan(at + 1), length, length_bytes);
      if (error != DecodeErrorKind::none) return kUnusual;
      header = 1 + length_bytes;
    }
    if (length > size - at - header) return kUnusual;
    if (tag == key && found == kAbsent) {
      if (!whole) return at;
      found = at;
    }
    at += header + length;
  }
  return at == size ? found : kUnusual;
}

std::span<const WalkKind> walk_kinds() noexcept {
  static const auto kinds = detect_walks();
  return kinds;
}

const WalkKind& fastest_walk() noexcept {
  const std::span<const WalkKind> kinds = walk_kinds();
  return *std::find_if(kinds.rbegin(), kinds.rend(),
                       [](const WalkKind& kind) { return kind.is_supported; });
}

}  // namespace wiremark::wire::y3
