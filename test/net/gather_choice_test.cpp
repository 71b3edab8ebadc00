// Whether a few datagrams leave together: what a choice makes of the paces it sees, and what an
// outbox makes of the choice.
#include "net/gather_choice.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "net/outbox.h"

using namespace wiremark;
using namespace wiremark::net;

namespace {

/// A closed loop of a few datagrams in flight, whose rounds take as long as the test says.
struct Rounds {
  static constexpr unsigned kInFlight = 16;

  /// Goes on for `length`; the share of the rounds that left together.
  double run(Nanoseconds length, Nanoseconds apart, Nanoseconds together) {
    unsigned rounds = 0, gathered = 0;
    for (const Nanoseconds end = now + length; now < end; ++rounds) {
      const bool with_others = choice.together(kInFlight);
      gathered += with_others;
      now += with_others ? together : apart;
      came += kInFlight;
      choice.turn(now, came);
    }
    return static_cast<double>(gathered) / rounds;
  }

  GatherChoice choice;
  Nanoseconds now = kSecond;
  std::uint64_t came = 0;
};

constexpr Nanoseconds us(unsigned count) { return count * kMicrosecond; }

}  // namespace

TEST_CASE("a few datagrams leave together at first, and many always") {
  Rounds rounds;
  CHECK(rounds.choice.together(2));
  CHECK(rounds.run(GatherChoice::kWindow, us(40), us(80)) == 1);
  for (int turn = 0; turn < 20'000; ++turn) {
    rounds.run(us(100), us(40), us(80));
    REQUIRE(rounds.choice.together(GatherChoice::kAlways));
  }
}

TEST_CASE("they leave one by one while they come sooner so") {
  Rounds rounds;
  rounds.run(kSecond, us(40), us(80));
  CHECK(rounds.run(10 * kSecond, us(40), us(80)) < 0.02);
  CHECK(rounds.run(10 * kSecond, us(40), us(80)) > 0);
}

TEST_CASE("they leave together where that is sooner, or makes no difference") {
  for (const auto& [apart, together] :
       {std::pair(us(45), us(7)), {us(50), us(50)}, {us(47), us(50)}}) {
    CAPTURE(apart);
    Rounds rounds;
    rounds.run(5 * kSecond, apart, together);
    const double share = rounds.run(10 * kSecond, apart, together);
    CHECK(share > 0.99);
    CHECK(share < 1);
  }
}

TEST_CASE("the choice changes when the paces do") {
  Rounds rounds;
  rounds.run(10 * kSecond, us(45), us(7));
  rounds.run(3 * kSecond, us(40), us(80));
  CHECK(rounds.run(kSecond, us(40), us(80)) < 0.1);
  rounds.run(3 * kSecond, us(45), us(7));
  CHECK(rounds.run(kSecond, us(45), us(7)) > 0.9);
}

TEST_CASE("where one datagram is in flight nothing is tried") {
  GatherChoice choice;
  for (unsigned turn = 1; turn < 100'000; ++turn) {
    REQUIRE(choice.together(1));
    choice.turn(turn * us(50), turn);
  }
}

// Few datagrams tell little of a pace.
TEST_CASE("a window lasts until it has its datagrams") {
  GatherChoice choice;
  unsigned turns = 0;
  while (choice.together(2)) {
    ++turns;
    choice.turn(turns * GatherChoice::kWindow, 2 * turns);
  }
  CHECK(turns == 1 + GatherChoice::kPatienceMin * GatherChoice::kWindowDatagrams / 2);
}

TEST_CASE("an outbox sends together or one by one, as the choice says") {
  Rounds rounds;
  Arena memory;
  Outbox outbox;
  OutboxConn conn;
  const Offload offload(true);
  const auto runs = [&](unsigned datagrams) {
    std::vector<unsigned> counts;
    std::string sent;
    for (unsigned i = 0; i < datagrams; ++i) {
      const char text = static_cast<char>('a' + i);
      outbox.add(conn, {}, std::as_bytes(std::span(&text, 1)), memory);
    }
    outbox.send_all(offload, rounds.choice,
                    [&](OutboxConn&, const Run& run, const std::vector<iovec>& parts) {
                      counts.push_back(run.count);
                      for (const iovec& part : parts)
                        sent.append(static_cast<const char*>(part.iov_base), part.iov_len);
                      return run.count;
                    });
    std::string expected;
    for (unsigned i = 0; i < datagrams; ++i) expected += static_cast<char>('a' + i);
    CHECK(sent == expected);
    CHECK(outbox.empty());
    return counts;
  };
  using Counts = std::vector<unsigned>;
  CHECK(runs(5) == Counts{5});
  while (rounds.choice.together(5)) rounds.run(us(100), us(40), us(80));
  CHECK(runs(5) == Counts(5, 1));
  CHECK(runs(1) == Counts{1});
  CHECK(runs(GatherChoice::kAlways) == Counts{GatherChoice::kAlways});
}
