// Waiting policies as users write them, and what they decide.
#include "net/wait.h"

#include <doctest/doctest.h>

using namespace wiremark;
using namespace wiremark::net;

TEST_CASE("policies are read and printed") {
  for (const char* text : {"block", "spin", "adaptive:50us", "adaptive:2ms"}) {
    const auto policy = WaitPolicy::parse(text);
    REQUIRE(policy);
    CHECK(policy->to_string() == text);
  }
  CHECK(WaitPolicy::parse("adaptive")->to_string() == "adaptive:50us");
  for (const char* text : {"", "sleep", "Block", "adaptive50us", "adaptive:", "adaptive:x"}) {
    CAPTURE(text);
    CHECK_FALSE(WaitPolicy::parse(text));
  }
}

TEST_CASE("block sleeps, spin never does, adaptive does after its time without an event") {
  Waiter block(WaitPolicy{.mode = WaitPolicy::Mode::block});
  CHECK(block.sleep_until(1'000, kNever) == kNever);
  Waiter spin(WaitPolicy{.mode = WaitPolicy::Mode::spin});
  CHECK(spin.sleep_until(1'000, kNever) <= 1'000);
  Waiter adaptive(WaitPolicy{.mode = WaitPolicy::Mode::adaptive, .spin_ns = 100});
  adaptive.saw_event(1'000);
  CHECK(adaptive.sleep_until(1'099, 5'000) <= 1'099);
  CHECK(adaptive.sleep_until(1'100, 5'000) == 5'000);
  adaptive.saw_event(2'000);
  CHECK(adaptive.sleep_until(2'050, 5'000) <= 2'050);
}
