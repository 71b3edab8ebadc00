// What is known to have been delivered, from what turns took of it.
#include "net/taken_until.h"

#include <doctest/doctest.h>

#include <initializer_list>

using namespace wiremark;
using namespace wiremark::net;

TEST_CASE("a turn that took everything has delivered what came before it asked") {
  TakenUntil taken(1 << 20);
  CHECK(taken.get() == 0);
  taken.turn_ended({.began = 100, .all = true, .share_used = false, .served = 0}, 1'000);
  CHECK(taken.get() == 100);
  taken.turn_ended({.began = 250, .all = true, .share_used = false, .served = 3}, 1'000);
  CHECK(taken.get() == 250);
}

TEST_CASE("turns that leave something count once all have been served since the first of them") {
  TakenUntil taken(1 << 20);
  taken.turn_ended({.began = 100, .all = true, .share_used = false, .served = 0}, 600);
  for (const Nanoseconds began : {200, 300}) {
    taken.turn_ended({.began = began, .all = false, .share_used = false, .served = 256}, 600);
    CHECK(taken.get() == 100);
  }
  taken.turn_ended({.began = 400, .all = false, .share_used = false, .served = 256}, 600);
  CHECK(taken.get() == 200);
  // A new pass begins, which a turn that takes everything ends.
  taken.turn_ended({.began = 500, .all = false, .share_used = false, .served = 256}, 600);
  CHECK(taken.get() == 200);
  taken.turn_ended({.began = 600, .all = true, .share_used = false, .served = 100}, 600);
  CHECK(taken.get() == 600);
  taken.turn_ended({.began = 700, .all = false, .share_used = false, .served = 599}, 600);
  CHECK(taken.get() == 600);
}

TEST_CASE("a socket that has more than its share holds it back until its buffer has been taken") {
  constexpr std::size_t kShare = 1 << 20;
  constexpr std::uint64_t kTurns = TakenUntil::kReceiveBufferMax / kShare;
  TakenUntil taken(kShare);
  for (std::uint64_t turn = 1; turn <= 2 * kTurns; ++turn) {
    taken.turn_ended({.began = 100 + turn, .all = false, .share_used = true, .served = 1}, 1);
    REQUIRE(taken.get() == (turn < kTurns ? 0 : turn < 2 * kTurns ? 101 : 101 + kTurns));
  }
}
