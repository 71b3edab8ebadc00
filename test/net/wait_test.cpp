// Wait policies: how users write them, and what they decide.
#include "net/wait.h"

#include <doctest/doctest.h>

using namespace wiremark;
using namespace wiremark::net;

namespace {

/// A simulated loop with a Waiter: the next event comes `asleep` after the wait began if the loop
/// sleeps, and `awake` if it spins.
struct Stream {
  Nanoseconds asleep;
  Nanoseconds awake;

  /// Plays `events` of them; returns how many found the loop spinning.
  int play(Waiter& waiter, Nanoseconds& now, int events) const {
    int spun = 0;
    for (int i = 0; i < events; ++i) {
      const Nanoseconds began = now;
      while (waiter.sleep_until(now, kNever) <= now && now < began + awake) now += kMicrosecond;
      if (now >= began + awake)
        ++spun;
      else
        now = std::max(now, began + asleep);
      waiter.saw_events(now, 1);
    }
    return spun;
  }
};

// A peer that answers each message: sleeping delays the next event by our wake-up and the peer's.
constexpr Stream kAnswers{.asleep = 50 * kMicrosecond, .awake = 8 * kMicrosecond};
// A clock sends: the next event comes at its time either way.
constexpr Stream kPaced{.asleep = 20 * kMicrosecond, .awake = 20 * kMicrosecond};
constexpr Stream kRare{.asleep = 10 * kMillisecond, .awake = 10 * kMillisecond};

Waiter adaptive() { return Waiter(WaitPolicy::parse("adaptive").value()); }

}  // namespace

TEST_CASE("policies are read and printed") {
  for (const char* text :
       {"block", "spin", "adaptive:50us", "adaptive:2ms", "batch:1ms", "batch:200us"}) {
    const auto policy = WaitPolicy::parse(text);
    REQUIRE(policy);
    CHECK(policy->to_string() == text);
  }
  CHECK(WaitPolicy::parse("adaptive")->to_string() == "adaptive:50us");
  CHECK(WaitPolicy::parse("batch")->to_string() == "batch:1ms");
  for (const char* text : {"", "sleep", "Block", "adaptive50us", "adaptive:", "adaptive:x",
                           "adaptive:0", "batch:", "batch:0", "batch:101ms", "batches"}) {
    CAPTURE(text);
    CHECK_FALSE(WaitPolicy::parse(text));
  }
  CHECK(WaitPolicy::parse("batch:1s").error().message().find("100ms") != std::string::npos);
}

TEST_CASE("what a batch adds to a latency is said, and nothing by the others") {
  CHECK(WaitPolicy::parse("batch:300us")->batch_note().find("up to 300us") != std::string::npos);
  CHECK(WaitPolicy::parse("adaptive")->batch_note().empty());
}

TEST_CASE("block sleeps and spin never does") {
  Waiter block(WaitPolicy{.mode = WaitPolicy::Mode::block});
  CHECK(block.sleep_until(1'000, kNever) == kNever);
  Waiter spin(WaitPolicy{.mode = WaitPolicy::Mode::spin});
  CHECK(spin.sleep_until(1'000, kNever) <= 1'000);
  spin.saw_events(1'000, 1);
  CHECK(spin.gather_until(1'000, kNever) == 1'000);
}

TEST_CASE("adaptive spins where events come sooner for it, and sleeps where they do not") {
  Nanoseconds now = kSecond;
  Waiter waiter = adaptive();
  CHECK(kAnswers.play(waiter, now, 1'000) > 500);
  CHECK(kAnswers.play(waiter, now, 1'000'000) > 990'000);
  CHECK(kRare.play(waiter, now, 100) == 0);
  CHECK(kPaced.play(waiter, now, 1'000'000) < 20'000);
  CHECK(kAnswers.play(waiter, now, 100'000) > 50'000);
}

TEST_CASE(
    "adaptive never spins in vain for long: on a rare stream, after its end, or too far away") {
  Nanoseconds now = kSecond;
  Waiter waiter = adaptive();
  const auto spins = [&](Nanoseconds idle) {  // How long it looks before it sleeps.
    const Nanoseconds began = now;
    while (waiter.sleep_until(now, kNever) <= now) now += kMicrosecond;
    const Nanoseconds spun = now - began;
    now = began + idle;
    waiter.saw_events(now, 1);
    return spun;
  };
  Nanoseconds spun = 0;
  for (int i = 0; i < 1'000; ++i) spun += spins(10 * kMillisecond);
  CHECK(spun == 0);
  kAnswers.play(waiter, now, 10'000);
  for (int i = 0; i < 1'000; ++i) spun += spins(10 * kMillisecond);
  CHECK(spun <= 4 * 50 * kMicrosecond);

  // An answer takes 120 us however we wait, and no spin lasts so long.
  spun = 0;
  for (int i = 0; i < 100'000; ++i) spun += spins(120 * kMicrosecond);
  CHECK(spun <= 100'000 * Nanoseconds{120 * kMicrosecond} / 100);
}

TEST_CASE("a batch gathers after events, up to its time or an earlier deadline") {
  Waiter waiter(WaitPolicy::parse("batch:1ms").value());
  CHECK(waiter.gather_until(5'000, kNever) == 5'000);  // Nothing has come yet.
  waiter.saw_events(5'000, 3);
  CHECK_FALSE(waiter.had_batch());
  CHECK(waiter.gather_until(6'000, kNever) == 6'000 + kMillisecond);
  CHECK(waiter.gather_until(6'000, 7'000) == 7'000);
  CHECK(waiter.sleep_until(6'000, 7'000) == 7'000);
  waiter.saw_events(8'000, WaitPolicy::kBatch);
  CHECK(waiter.had_batch());
  waiter.saw_events(9'000, 0);
  CHECK(waiter.gather_until(9'000, kNever) == 9'000);
}
