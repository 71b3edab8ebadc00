// What the messages of a load hold: told apart, repeatable, and of the sizes asked for.
#include "load/exchange/pattern.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

namespace wiremark::load {

TEST_CASE("the same message is the same bytes") {
  const Pattern one(3, 64, 64);
  const Pattern same(3, 64, 64);
  for (std::uint32_t i = 0; i < 100; ++i)
    CHECK(std::ranges::equal(one.message(i, 2 * i), same.message(i, 2 * i)));
}

TEST_CASE("messages of a connection, and of neighbours, differ") {
  const Pattern pattern(1, 16, 16);
  std::size_t alike = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    alike += std::ranges::equal(pattern.message(0, i), pattern.message(0, i + 1));
    alike += std::ranges::equal(pattern.message(i, 0), pattern.message(i + 1, 0));
  }
  CHECK(alike <= 5);  // One pair of 4,096 shares its window.
}

TEST_CASE("the windows are spread over the whole block") {
  const Pattern pattern(1, 8, 8);
  std::set<const std::byte*> starts;
  for (std::uint32_t i = 0; i < 40'000; ++i) starts.insert(pattern.message(i % 100, i).data());
  CHECK(starts.size() > 4000);
  CHECK(starts.size() <= 4096);
  CHECK(*starts.rbegin() - *starts.begin() < 4096);
}

TEST_CASE("another seed is another content") {
  const Pattern one(1, 512, 512);
  const Pattern other(2, 512, 512);
  CHECK_FALSE(std::ranges::equal(one.message(0, 0), other.message(0, 0)));
}

TEST_CASE("sizes lie in their range, and both ends occur") {
  const Pattern pattern(9, 5, 12);
  std::set<std::size_t> sizes;
  for (std::uint32_t i = 0; i < 2000; ++i) sizes.insert(pattern.message(i, 7).size());
  CHECK(sizes == std::set<std::size_t>{5, 6, 7, 8, 9, 10, 11, 12});
}

TEST_CASE("a single size is kept, the largest window included") {
  const Pattern pattern(1, 1, 1);
  for (std::uint32_t i = 0; i < 1000; ++i) CHECK(pattern.message(i, i).size() == 1);
}

TEST_CASE("a byte is any of the 256") {
  const Pattern pattern(1, 16'384, 16'384);
  std::set<std::byte> seen;
  for (const std::byte byte : pattern.message(0, 0)) seen.insert(byte);
  CHECK(seen.size() == 256);
}

}  // namespace wiremark::load
