// When a loop notices that it was held up, turn by turn.
#include "net/attention.h"

#include <doctest/doctest.h>

using namespace wiremark;
using net::Attention;

namespace {

constexpr Nanoseconds kStart = kSecond;

}  // namespace

TEST_CASE("a loop that an event woke in its sleep was there in time") {
  Attention attention(0);
  attention.begins(kStart);
  attention.waits(kStart, kNever);
  attention.woke(kStart + kSecond);
  CHECK(attention.heard() == kStart + kSecond);
  CHECK(attention.gap().length == 0);
}

TEST_CASE("a loop that slept past its time should have woken then") {
  Attention attention(0);
  attention.begins(kStart);
  attention.waits(kStart, kStart + kMillisecond);
  attention.woke(kStart + kMillisecond + 60 * kMicrosecond);  // As late as timers are.
  CHECK(attention.heard() == attention.woke());
  const Nanoseconds again = attention.woke() + 10;
  attention.waits(again, again + kMillisecond);
  attention.woke(again + 5 * kMillisecond);
  CHECK(attention.heard() == again + kMillisecond);
  CHECK(attention.gap().length == 4 * kMillisecond);
  CHECK(attention.gap().from == again + kMillisecond);
}

TEST_CASE("with a heartbeat, no stop is longer unseen") {
  Attention attention(10 * kMillisecond);
  CHECK(attention.at_most(kStart, kNever) == kStart + 10 * kMillisecond);
  CHECK(attention.at_most(kStart, kStart + 5) == kStart + 5);
  CHECK(Attention(0).at_most(kStart, kNever) == kNever);
}

TEST_CASE("what lay there when a long turn was over came during it") {
  Attention attention(0);
  attention.begins(kStart);
  attention.waits(kStart, kNever);
  attention.woke(kStart + 10);
  attention.waits(kStart + 3 * kMillisecond, kNever);
  SUBCASE("at once") {
    attention.woke(kStart + 3 * kMillisecond + 20);
    CHECK(attention.heard() == kStart + 10);
  }
  SUBCASE("after a sleep: it came in the sleep") {
    attention.woke(kStart + 4 * kMillisecond);
    CHECK(attention.heard() == attention.woke());
  }
  CHECK(attention.gap().length == 3 * kMillisecond - 10);
  CHECK(attention.gap().from == kStart + 10);
}

TEST_CASE("a look without sleep that takes long is a gap as well") {
  Attention attention(0);
  attention.begins(kStart);
  attention.waits(kStart, 0);
  attention.woke(kStart + kSecond);
  CHECK(attention.heard() == kStart);
  CHECK(attention.gap().length == kSecond);
}
