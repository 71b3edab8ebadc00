// A thread that looks for another one in simulated time: how long it looks, and when it rests.
#include "measure/patience.h"

#include <doctest/doctest.h>

using namespace wiremark;
using namespace wiremark::measure;

TEST_CASE("a thread looks in vain for a millisecond, then for a tenth of the time, and leaves") {
  constexpr Nanoseconds kUntil = 20 * kMillisecond;
  Patience patience;
  patience.begin();
  Nanoseconds now = 0, looked = 0;
  int rests = 0;
  for (auto next = Patience::Next::look; next != Patience::Next::leave;) {
    now += kMicrosecond;
    looked += kMicrosecond;
    next = patience.next(now, kUntil);
    if (next != Patience::Next::rest) continue;
    now += Patience::kRest;
    ++rests;
  }
  // A stretch is eleven looks, the first of which begins it. The first rest comes after 101 of them,
  // and the thread leaves at the end of the first one that is not over before the end.
  CHECK(now == 1'111 * kMicrosecond + 171 * (Patience::kRest + 11 * kMicrosecond));
  CHECK(rests == 171);
  CHECK(looked == (101 + 171) * 11 * kMicrosecond);
}

TEST_CASE("a thread whose look was not in vain begins another stretch, and does not rest") {
  Patience patience;
  Nanoseconds now = kSecond;
  for (int times = 0; times < 10'000; ++times) {
    patience.begin();
    for (Nanoseconds waited = 0; waited < Patience::kStretch; waited += kMicrosecond)
      CHECK(patience.next(now += kMicrosecond, kNever) == Patience::Next::look);
  }
}

TEST_CASE("a thread that was kept from looking leaves when it is back and the end has come") {
  Patience patience;
  patience.begin();
  CHECK(patience.next(kSecond, 2 * kSecond) == Patience::Next::look);
  CHECK(patience.next(3 * kSecond, 2 * kSecond) == Patience::Next::leave);
}
