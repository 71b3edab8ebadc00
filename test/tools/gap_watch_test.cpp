// A loop that did not listen, and whether its thread ran meanwhile: by hand, and in a simulated
// server whose process stands still.
#include "measure/gap_watch.h"

#include <doctest/doctest.h>

#include "../net/sim_pair.h"
#include "shared_gaps.h"

using namespace wiremark;
using namespace wiremark::tools;
using measure::GapWatch;
using measure::LoopGaps;

namespace {

// Turns that are told by hand: when they woke and ended, what gap came before, what had been run.
struct ByHand {
  LoopGaps gaps;
  GapWatch watch;

  ByHand() { watch.count_in(gaps); }
  void turn(Nanoseconds woke, Nanoseconds end, Nanoseconds gap, Nanoseconds ran) {
    watch.turn(end, woke, woke - gap, gap, [&] { return ran; });
  }
};

constexpr Nanoseconds kMs = kMillisecond;

}  // namespace

TEST_CASE("a long turn is the loop's own work as far as its thread ran") {
  for (const Nanoseconds ran : {20 * kMs, 5 * kMs, 0 * kMs}) {
    ByHand loop;
    loop.turn(98 * kMs, 99 * kMs, 0, kMs);
    loop.turn(100 * kMs, 120 * kMs, 0, kMs + ran);             // Works from 100 to 120.
    loop.turn(120 * kMs, 121 * kMs, 20 * kMs, 2 * kMs + ran);  // And finds that here.
    CHECK(loop.gaps.gap_max_ns == 20 * kMs);
    CHECK(loop.gaps.held_up_ns.get() == 20 * kMs);
    CHECK(loop.gaps.away_ns.get() == 20 * kMs - ran);
  }
}

TEST_CASE("a sleep that ended late was a standstill, but for what the kernel did in it") {
  for (const Nanoseconds ran : {0 * kMs, 3 * kMs}) {
    ByHand loop;
    loop.turn(98 * kMs, 99 * kMs, 0, kMs);
    // Was to sleep until 109, and slept until 149.
    loop.turn(149 * kMs, 149 * kMs, 40 * kMs, kMs + ran);
    CHECK(loop.gaps.held_up_ns.get() == 40 * kMs);
    CHECK(loop.gaps.away_ns.get() == 40 * kMs - ran);
  }
}

TEST_CASE("of a gap across the start or the end, the part counts that lies within") {
  ByHand loop;
  loop.gaps.from_ns = 100 * kMs;
  loop.gaps.until_ns = 200 * kMs;
  loop.turn(60 * kMs, 60 * kMs, 5 * kMs, 0);
  CHECK(loop.gaps.held_up_ns.get() == 0);
  CHECK(loop.gaps.gap_max_ns == 0);
  loop.turn(110 * kMs, 110 * kMs, 40 * kMs, 20 * kMs);  // From 70 on, and ran for half of it.
  CHECK(loop.gaps.held_up_ns.get() == 10 * kMs);
  CHECK(loop.gaps.away_ns.get() == 5 * kMs);
  loop.turn(300 * kMs, 300 * kMs, 120 * kMs, 20 * kMs);  // From 180 on.
  CHECK(loop.gaps.held_up_ns.get() == 30 * kMs);
  CHECK(loop.gaps.away_ns.get() == 25 * kMs);
  CHECK(loop.gaps.gap_max_ns == 20 * kMs);
  loop.turn(400 * kMs, 400 * kMs, 50 * kMs, 20 * kMs);
  CHECK(loop.gaps.held_up_ns.get() == 30 * kMs);
}

TEST_CASE("short gaps are the longest of them, and no more") {
  ByHand loop;
  for (Nanoseconds at = kMs; at < 50 * kMs; at += 900'000) loop.turn(at, at + 10, 899'990, at / 2);
  CHECK(loop.gaps.gap_max_ns == 899'990);
  CHECK(loop.gaps.held_up_ns.get() == 0);
  CHECK(loop.gaps.away_ns.get() == 0);
}

TEST_CASE("a loop that nobody reads asks for no processor time") {
  GapWatch watch;
  bool asked = false;
  watch.turn(kSecond, kSecond, 0, kSecond, [&] {
    asked = true;
    return kSecond;
  });
  CHECK(!asked);
}

TEST_CASE("a simulated server that stood still was away, and one that computes is not") {
  constexpr Nanoseconds kStop = 400 * kMs;
  for (const bool computes : {false, true}) {
    net::sim::EndOptions options;
    options.reactor.heartbeat = net::kHeartbeat;
    options.stalls = {{.from = 100 * kMs, .to = 100 * kMs + kStop}};
    net::sim::Pair pair(options);
    LoopGaps gaps;
    GapWatch watch;
    watch.count_in(gaps);
    net::sim::Keeper server;
    server.at_turn = [&](Nanoseconds now) {
      const net::Gap gap = pair.server.gap();
      watch.turn(now, pair.server.woke(), gap.from, gap.length, [&] {
        const Nanoseconds worked = now < 500 * kMs ? 0 : kStop;
        return computes ? worked : 0;
      });
      return kNever;
    };
    pair.serve(server);
    pair.run(kSecond);
    CHECK(gaps.gap_max_ns <= kStop);
    CHECK(gaps.gap_max_ns >= kStop - net::kHeartbeat);
    CHECK(gaps.held_up_ns.get() == gaps.gap_max_ns);
    CHECK(gaps.away_ns.get() == (computes ? 0 : gaps.gap_max_ns.load()));
  }
}

TEST_CASE("what a loop counts is read through the other end of the memory") {
  const auto ours = SharedGaps::make();
  REQUIRE(ours);
  const auto theirs = SharedGaps::of(::dup(ours->fd()));
  REQUIRE(theirs);
  for (const std::size_t thread : {0, 3}) {
    LoopGaps& gaps = theirs->all()[thread];
    gaps.gap_max_ns = 10 * (thread + 1);
    gaps.held_up_ns.add(2 * kMs);
    gaps.away_ns.add(kMs);
  }
  CHECK(ours->sum().gap_max == 40);
  CHECK(ours->sum().held_up == 4 * kMs);
  CHECK(ours->sum().away == 2 * kMs);
  CHECK(ours->begin(kSecond, kNever).held_up == 4 * kMs);
  CHECK(theirs->all()[3].from_ns == kSecond);
  CHECK(theirs->all()[3].until_ns == 0);
  ours->end(2 * kSecond);
  CHECK(theirs->all()[3].until_ns == 2 * kSecond);
  CHECK(ours->sum().gap_max == 0);
  CHECK(ours->sum().away == 2 * kMs);
}

TEST_CASE("no other descriptor is taken for it") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const Fd reader(ends[0]), writer(ends[1]);
  for (const int fd : {-1, ends[0]}) CHECK(!SharedGaps::of(fd));
}
