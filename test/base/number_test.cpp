// What is a number, and what only begins like one.
#include "base/number.h"

#include <doctest/doctest.h>

#include <cstdint>

using namespace wiremark;

TEST_CASE("a text is a number where all of it is") {
  CHECK(to_number<std::uint64_t>("18446744073709551615") == UINT64_MAX);
  CHECK(to_number<unsigned>("007") == 7U);
  CHECK(to_number<int>("-5") == -5);
  CHECK(to_number<double>("1.5e3") == 1500.0);
  for (const char* wrong : {"", " 1", "1 ", "+1", "-1", "1x", "x", "0x1", "4294967296"}) {
    CAPTURE(wrong);
    CHECK_FALSE(to_number<std::uint32_t>(wrong));
  }
}
