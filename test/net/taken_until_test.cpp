// Up to when everything has been delivered, computed from what each turn took.
#include "net/taken_until.h"

#include <doctest/doctest.h>

#include <initializer_list>

using namespace wiremark;
using namespace wiremark::net;

TEST_CASE("a turn that took everything has delivered what came before it asked") {
  TakenUntil taken(1 << 20);
  CHECK(taken.get() == 0);
  taken.took_all(100);
  CHECK(taken.get() == 100);
  taken.took_all(250);
  CHECK(taken.get() == 250);
}

TEST_CASE("turns that leave something count once all have been served since the first of them") {
  TakenUntil taken(1 << 20);
  taken.took_all(100);
  for (const Nanoseconds began : {200, 300}) {
    taken.left_some({.began = began, .share_used = false, .served = 256}, 600);
    CHECK(taken.get() == 100);
  }
  taken.left_some({.began = 400, .share_used = false, .served = 256}, 600);
  CHECK(taken.get() == 200);
  // A new pass begins, which a turn that takes everything ends.
  taken.left_some({.began = 500, .share_used = false, .served = 256}, 600);
  CHECK(taken.get() == 200);
  taken.took_all(600);
  CHECK(taken.get() == 600);
  taken.left_some({.began = 700, .share_used = false, .served = 599}, 600);
  CHECK(taken.get() == 600);
}

TEST_CASE("a socket that has more than its share holds it back until its buffer has been taken") {
  constexpr std::size_t kShare = 1 << 20;
  constexpr std::uint64_t kTurns = TakenUntil::kReceiveBufferMax / kShare;
  TakenUntil taken(kShare);
  for (std::uint64_t turn = 1; turn <= 2 * kTurns; ++turn) {
    taken.left_some({.began = 100 + turn, .share_used = true, .served = 1}, 1);
    REQUIRE(taken.get() == (turn < kTurns ? 0 : turn < 2 * kTurns ? 101 : 101 + kTurns));
  }
}
