// Timestamps of the kernel converted to our clock, and which of them are not trusted.
#include "net/receive_clock.h"

#include <doctest/doctest.h>

using namespace wiremark;
using namespace wiremark::net;

namespace {
// Of CLOCK_REALTIME, when CLOCK_MONOTONIC was 0.
constexpr Nanoseconds kEpoch = 1'700'000'000 * kSecond;
}  // namespace

TEST_CASE("a moment of CLOCK_REALTIME becomes one of CLOCK_MONOTONIC") {
  ReceiveClock clock;
  for (int turn = 0; turn < 2; ++turn) clock.look(1'000, kEpoch + 1'000, 1'050);
  CHECK(clock.monotonic(kEpoch + 700, 2'000) == 700);
  CHECK(clock.monotonic(kEpoch + 2'000, 2'000) == 2'000);
  CHECK(clock.monotonic(kEpoch + 2'001, 2'000) == 0);  // In the future.
}

TEST_CASE("no stamp is believed before the offset is known for a turn") {
  ReceiveClock clock;
  CHECK(clock.monotonic(kEpoch + 700, 2'000) == 0);
  clock.look(1'000, kEpoch + 1'000, 1'050);
  CHECK(clock.monotonic(kEpoch + 700, 2'000) == 0);
}

TEST_CASE("what was stamped around a change of the time is not believed") {
  constexpr std::int64_t kSteps[] = {-3'600'000'000'000, 1'000'000};  // An hour, a millisecond.
  for (const std::int64_t step : kSteps) {
    CAPTURE(step);
    const Nanoseconds changed = kEpoch + static_cast<Nanoseconds>(step);
    ReceiveClock clock;
    for (int turn = 0; turn < 2; ++turn) clock.look(1'000, kEpoch + 1'000, 1'050);
    clock.look(2'000, changed + 2'000, 2'050);
    CHECK(clock.monotonic(kEpoch + 1'500, 2'100) == 0);
    CHECK(clock.monotonic(changed + 1'900, 2'100) == 0);
    clock.look(3'000, changed + 3'000, 3'050);
    CHECK(clock.monotonic(changed + 2'500, 3'100) == 2'500);
  }
}

TEST_CASE("readings that were interrupted change nothing") {
  ReceiveClock clock;
  for (int turn = 0; turn < 2; ++turn) clock.look(1'000, kEpoch + 1'000, 1'050);
  clock.look(kMillisecond, kEpoch + 3 * kMillisecond, 5 * kMillisecond);
  CHECK(clock.monotonic(kEpoch + 700, 2'000) == 700);
}

TEST_CASE("the two clocks of this machine keep their distance" * doctest::test_suite("realtime")) {
  ReceiveClock clock;
  for (int turn = 0; turn < 3; ++turn) clock.look();
  timespec real;
  const Nanoseconds before = now_ns();
  ::clock_gettime(CLOCK_REALTIME, &real);
  const Nanoseconds after = now_ns();
  const Nanoseconds moment = clock.monotonic(
      static_cast<Nanoseconds>(real.tv_sec) * kSecond + static_cast<Nanoseconds>(real.tv_nsec),
      now_ns());
  CHECK(moment + 20 * kMicrosecond >= before);
  CHECK(moment <= after + 20 * kMicrosecond);
}
