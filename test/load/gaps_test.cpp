// How late a load came to a message of its plan, asked when the message is sent much later.
#include "load/gaps.h"

#include <doctest/doctest.h>

using namespace wiremark;
using load::Gaps;

TEST_CASE("what was planned in a gap is as late as the gap's end") {
  Gaps gaps;
  CHECK(gaps.lateness(kSecond) == 0);
  // Ten messages, a millisecond apart, that the load comes to 10 ms after the first.
  for (Nanoseconds i = 0; i < 10; ++i)
    gaps.came(kSecond + i * kMillisecond, kSecond + 10 * kMillisecond);
  CHECK(gaps.lateness(kSecond) == 10 * kMillisecond);
  CHECK(gaps.lateness(kSecond + 9 * kMillisecond) == kMillisecond);
  CHECK(gaps.lateness(kSecond + 10 * kMillisecond) == 0);
  CHECK(gaps.lateness(kSecond - 1) == 0);
  // One in time, and a second gap.
  gaps.came(2 * kSecond, 2 * kSecond + Gaps::kGap - 1);
  gaps.came(3 * kSecond, 4 * kSecond);
  CHECK(gaps.lateness(2 * kSecond) == 0);
  CHECK(gaps.lateness(3 * kSecond) == kSecond);
  CHECK(gaps.lateness(kSecond) == 10 * kMillisecond);
}

TEST_CASE("the latest gaps are kept") {
  Gaps gaps;
  for (Nanoseconds i = 1; i <= Gaps::kKept + 5; ++i)
    gaps.came(i * kSecond, i * kSecond + kMillisecond);
  CHECK(gaps.lateness(5 * kSecond) == 0);
  CHECK(gaps.lateness(6 * kSecond) == kMillisecond);
  CHECK(gaps.lateness((Gaps::kKept + 5) * kSecond) == kMillisecond);
}
