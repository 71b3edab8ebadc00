// Quantities read the same at every scale, also where rounding carries into the next unit.
#include "measure/quantity.h"

#include <doctest/doctest.h>

using namespace wiremark;
using namespace wiremark::measure;

TEST_CASE("times") {
  CHECK(format_time(Nanoseconds{0}) == "0 ns");
  CHECK(format_time(Nanoseconds{999}) == "999 ns");
  CHECK(format_time(Nanoseconds{1'000}) == "1.00 us");
  CHECK(format_time(84'211.0) == "84.2 us");
  CHECK(format_time(999'499.0) == "999 us");
  CHECK(format_time(999'500.0) == "1.00 ms");
  CHECK(format_time(9'996.0) == "10.0 us");
  CHECK(format_time(1'310'000.0) == "1.31 ms");
  CHECK(format_time(59.9e9) == "59.9 s");
  CHECK(format_time(59.96e9) == "1 min");
  CHECK(format_time(125e9) == "2 min 5 s");
  CHECK(format_time(3'600e9) == "1 h");
  CHECK(format_time(3'660e9) == "1 h 1 min");
}

TEST_CASE("counts, rates and numbers") {
  CHECK(format_count(0) == "0");
  CHECK(format_count(999) == "999");
  CHECK(format_count(1'000) == "1,000");
  CHECK(format_count(1'234'567) == "1,234,567");
  CHECK(format_counted(0, "message") == "0 messages");
  CHECK(format_counted(1, "message") == "1 message");
  CHECK(format_counted(1'001, "message") == "1,001 messages");
  CHECK(format_rate(0) == "0");
  CHECK(format_rate(250) == "250");
  CHECK(format_rate(12.34) == "12.3");
  CHECK(format_rate(98'700) == "98.7 k");
  CHECK(format_rate(999'600) == "1.00 M");
  CHECK(format_rate(2.5e9) == "2.50 G");
  CHECK(format_number(0) == "0");
  CHECK(format_number(4.0812) == "4.08");
  CHECK(format_number(0.012345) == "0.0123");
  CHECK(format_number(1'234.4) == "1234");
}

TEST_CASE("sizes and shares") {
  CHECK(format_size(0) == "0 B");
  CHECK(format_size(1'023) == "1023 B");
  CHECK(format_size(1'536) == "1.50 KiB");
  CHECK(format_size(1'048'576) == "1.00 MiB");
  CHECK(format_size(1'048'100) == "1.00 MiB");
  CHECK(format_size(5e12) == "4.55 TiB");
  CHECK(format_share(0) == "0 %");
  CHECK(format_share(0.001) == "< 0.01 %");
  CHECK(format_share(0.5) == "0.50 %");
  CHECK(format_share(38.5) == "38.5 %");
  CHECK(format_share(187) == "187 %");
}
