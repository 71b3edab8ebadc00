// Finds a sequence id among the children of a Y3 node: one child at a time, or many by SIMD.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/bytes.h"

namespace wiremark::wire::y3 {

/// No child has the id, and the children fill their node exactly.
inline constexpr std::size_t kAbsent = SIZE_MAX;
/// The walk met something that it leaves to the general reader: a node, a broken child, or for the
/// SIMD walks a child of 64 bytes or more.
inline constexpr std::size_t kUnusual = SIZE_MAX - 1;

/// Returns the offset of the first primitive with the id `key`, kAbsent or kUnusual. With `whole`
/// it walks over every child, so that an offset also means that all are primitives and fill the
/// node exactly. Without, it stops at that child, which is complete. Reads nothing outside
/// `children`.
using Walk = std::size_t (*)(Bytes children, unsigned key, bool whole) noexcept;

std::size_t walk_scalar(Bytes children, unsigned key, bool whole) noexcept;

/// One way to walk, and whether this processor can.
struct WalkKind {
  std::string_view name;  ///< "scalar", "avx2", "avx512vbmi".
  Walk walk;
  bool is_supported;
};

/// All ways this build knows, slowest first; the scalar one is supported everywhere.
std::span<const WalkKind> walk_kinds() noexcept;

/// The fastest that is supported.
const WalkKind& fastest_walk() noexcept;

/// The smallest node that the SIMD walks are faster with.
inline constexpr std::size_t kSimdNodeMin = 33;

#ifdef __x86_64__
/// A walk that needs AVX-512 F, BW and VBMI.
std::size_t walk_vbmi(Bytes children, unsigned key, bool whole) noexcept;

/// How many positions one fill can do.
inline constexpr std::size_t kJumpsMin = 32;
inline constexpr std::size_t kJumpsMax = 128;
/// A jump of this or more means an unusual child on the way: it is 255 minus a lane of 0 to 63. A
/// plain child ends at lane 63 + 2 + 63 at most.
inline constexpr std::uint8_t kUnusualJump = 0xC0;

/// Fills `jumps` for `positions` (kJumpsMin to kJumpsMax) tags from `tags` on, reading positions +
/// 1 bytes: for each position, how far it is to a later one on the chain of children that would
/// start there. Positions at which no child starts get a jump too, which is never followed. A jump
/// never passes a child that starts with the byte `key`. Needs AVX2.
void fill_jumps_avx2(const std::byte* tags, std::size_t positions, std::uint8_t key,
                     std::uint8_t* jumps) noexcept;
#endif

}  // namespace wiremark::wire::y3
