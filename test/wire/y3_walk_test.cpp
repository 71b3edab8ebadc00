// Jumps of the SIMD walks against a chain that is followed child by child.
#include "wire/y3_walk.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

using namespace wiremark;
using namespace wiremark::wire::y3;

namespace {

// True when a jump ends on the chain that begins at `from`, not behind the first child with the
// key, or says that a child it had to step over is unusual.
bool is_right(const std::vector<std::byte>& bytes, std::size_t from, unsigned key,
              std::uint8_t jump) {
  const std::size_t positions = bytes.size() - 1;
  for (std::size_t at = from, steps = 0;; ++steps) {
    if (steps > 0 && jump < kUnusualJump && at == from + jump) return true;
    if (at >= positions || (jump < kUnusualJump && at > from + jump)) return false;
    const auto tag = std::to_integer<unsigned>(bytes[at]);
    const auto length = std::to_integer<unsigned>(bytes[at + 1]);
    if ((tag | length) >= 0x40) return jump >= kUnusualJump;
    if (steps > 0 && tag == key) return false;
    at += 2 + length;
  }
}

void check_fill(FillJumps fill) {
  std::mt19937_64 random(17);
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t positions = kJumpsMin + random() % (kJumpsMax - kJumpsMin + 1);
    const unsigned bound = random() % 2 == 0 ? 6 : 70;
    std::vector<std::byte> bytes(positions + 1);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() % bound);
    const auto key = static_cast<std::uint8_t>(1 + random() % (random() % 2 == 0 ? 63 : 4));
    std::array<std::uint8_t, kJumpsMax> jumps{};
    fill(bytes.data(), positions, key, jumps.data());
    for (std::size_t at = 0; at < positions; ++at) REQUIRE(is_right(bytes, at, key, jumps[at]));
    REQUIRE(std::all_of(jumps.begin() + std::ptrdiff_t(positions), jumps.end(),
                        [](std::uint8_t jump) { return jump == 0; }));
  }
}

}  // namespace

TEST_CASE("jumps land on the chain and never pass the key") {
#ifdef __x86_64__
  const auto kinds = walk_kinds();
  if (kinds[1].is_supported) check_fill(fill_jumps_avx2);
  if (kinds[2].is_supported) check_fill(fill_jumps_vbmi);
#endif
  for (const auto& kind : walk_kinds()) {
    if (!kind.is_supported) MESSAGE("skipped: this processor has no " << std::string(kind.name));
  }
}

TEST_CASE("the fastest walk is one that this processor has") {
  CHECK(fastest_walk().is_supported);
  CHECK(walk_kinds().front().is_supported);
}
