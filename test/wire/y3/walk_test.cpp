// Jumps of the SIMD walks against a chain that is followed child by child.
#include "wire/y3/walk.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "wire/rounds.h"

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

#ifdef __x86_64__
void check_fill() {
  std::mt19937_64 random(17);
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t positions = kJumpsMin + random() % (kJumpsMax - kJumpsMin + 1);
    const unsigned bound = random() % 2 == 0 ? 6 : 70;
    std::vector<std::byte> bytes(positions + 1);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() % bound);
    const auto key = static_cast<std::uint8_t>(1 + random() % (random() % 2 == 0 ? 63 : 4));
    std::array<std::uint8_t, kJumpsMax> jumps{};
    fill_jumps_avx2(bytes.data(), positions, key, jumps.data());
    for (std::size_t at = 0; at < positions; ++at) REQUIRE(is_right(bytes, at, key, jumps[at]));
    REQUIRE(std::all_of(jumps.begin() + std::ptrdiff_t(positions), jumps.end(),
                        [](std::uint8_t jump) { return jump == 0; }));
  }
}
#endif

// Children one after another, each of fewer than 64 bytes, of `size` bytes or a few more.
std::vector<std::byte> plain_children(std::mt19937_64& random, std::size_t size) {
  const unsigned length_bound = random() % 2 == 0 ? 4 : 64;
  const unsigned tag_bound = random() % 2 == 0 ? 63 : 4;
  std::vector<std::byte> children;
  while (children.size() < size) {
    const auto length = random() % length_bound;
    children.push_back(std::byte(1 + random() % tag_bound));
    children.push_back(std::byte(length));
    for (std::size_t i = 0; i < length; ++i) children.push_back(std::byte(random() % 64));
  }
  return children;
}

}  // namespace

#ifdef __x86_64__
TEST_CASE("jumps land on the chain and never pass the key") {
  if (walk_kinds()[1].is_supported) check_fill();
}
#endif

TEST_CASE("every walk finds what the scalar one finds among plain children, whole or cut") {
  std::mt19937_64 random(23);
  for (unsigned i = 0; i < wire::test::rounds(40'000); ++i) {
    std::vector<std::byte> children = plain_children(random, random() % 700);
    if (random() % 4 == 0 && !children.empty()) children.resize(random() % children.size());
    children.shrink_to_fit();
    const auto key = static_cast<unsigned>(1 + random() % 63);
    for (const WalkKind& kind : walk_kinds()) {
      if (!kind.is_supported) continue;
      INFO(std::string(kind.name), " of ", children.size(), " bytes to ", key);
      for (const bool whole : {false, true}) {
        REQUIRE(kind.walk(children, key, whole) == walk_scalar(children, key, whole));
      }
    }
  }
  for (const auto& kind : walk_kinds()) {
    if (!kind.is_supported) MESSAGE("skipped: this processor has no " << std::string(kind.name));
  }
}

TEST_CASE("the fastest walk is one that this processor has") {
  CHECK(fastest_walk().is_supported);
  CHECK(walk_kinds().front().is_supported);
}
