// Times, counts and sizes as users write them.
#include "base/units.h"

#include <doctest/doctest.h>

using namespace wiremark;

TEST_CASE("times") {
  CHECK(parse_duration("250us").value() == 250'000);
  CHECK(parse_duration("1.5ms").value() == 1'500'000);
  CHECK(parse_duration("10").value() == 10 * kSecond);
  CHECK(parse_duration("2m").value() == 120 * kSecond);
  CHECK(parse_duration("0").value() == 0);
  for (const char* bad : {"", "s", "-1s", "1h", "1 s", "1e3s", "nan", "inf", "10sx", "99999999m"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_duration(bad).has_value());
  }
}

TEST_CASE("a formatted time reads back as itself") {
  for (const Nanoseconds time : {0ull, 7ull, 50'000ull, 1'500'000ull, 10'000'000'000ull}) {
    CHECK(parse_duration(format_duration(time)).value() == time);
  }
  CHECK(format_duration(50'000) == "50us");
  CHECK(format_duration(1'500'000) == "1.5ms");
}

TEST_CASE("counts go by thousands, sizes by 1,024") {
  CHECK(parse_count("10k").value() == 10'000);
  CHECK(parse_count("0.5").value() == 0.5);
  CHECK(parse_count("1.5M").value() == 1'500'000);
  CHECK(parse_size("16k").value() == 16'384);
  CHECK(parse_size("1M").value() == 1'048'576);
  CHECK(parse_size("512").value() == 512);
  for (const char* bad : {"", "abc", "-1", "10kb", "1.5", "5000M", "k"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_size(bad).has_value());
  }
  CHECK_FALSE(parse_count("abc").has_value());
  CHECK_FALSE(parse_count("-5").has_value());
}
