// The books of datagrams: every message is answered or lost, whatever the network did to it.
#include "load/ledger.h"

#include <doctest/doctest.h>

#include <deque>
#include <random>
#include <vector>

using namespace wiremark;
using namespace wiremark::load;

using Fate = Ledger::Fate;

constexpr auto kNothing = [](Nanoseconds) {};

TEST_CASE("an answer in time is found in any order") {
  Ledger ledger(2, 4, 100);
  for (Nanoseconds i = 0; i < 4; ++i) CHECK(ledger.enter(1, 10 + i, 20 + i) == i);
  CHECK_FALSE(ledger.has_room(1));
  CHECK(ledger.has_room(0));
  const auto third = ledger.answer(1, 2, 50);
  CHECK(third.fate == Fate::answered);
  CHECK_FALSE(third.reordered);
  CHECK(third.planned_ns == 12);
  CHECK(third.sent_ns == 22);
  CHECK(ledger.answer(1, 0, 51).reordered);
  CHECK_FALSE(ledger.answer(1, 3, 52).reordered);
  CHECK(ledger.answer(1, 1, 53).reordered);
  CHECK(ledger.under_way(1) == 0);
}

TEST_CASE("what comes after the timeout is late once, then a copy") {
  Ledger ledger(1, 2, 100);
  ledger.enter(0, 0, 0);
  ledger.enter(0, 0, 0);
  CHECK(ledger.expire(0, 100, kNothing) == 0);
  CHECK(ledger.answer(0, 0, 100).fate == Fate::answered);  // In time to the nanosecond.
  CHECK(ledger.answer(0, 0, 100).fate == Fate::duplicated);
  CHECK(ledger.expire(0, 101, [](Nanoseconds sent) { CHECK(sent == 0); }) == 1);
  CHECK(ledger.under_way(0) == 0);
  CHECK(ledger.answer(0, 1, 102).fate == Fate::late);
  CHECK(ledger.answer(0, 1, 103).fate == Fate::duplicated);
  // Late, although it has not been given up yet.
  ledger.enter(0, 190, 200);
  const auto late = ledger.answer(0, 2, 301);
  CHECK(late.fate == Fate::late);
  CHECK(late.sent_ns == 200);
  CHECK(ledger.answer(0, 2, 301).fate == Fate::duplicated);
  CHECK(ledger.under_way(0) == 0);
  // A turn whose clock was read before the send.
  ledger.enter(0, 400, 400);
  CHECK(ledger.expire(0, 399, kNothing) == 0);
}

TEST_CASE("a message that was lost long ago holds up no later one, whatever their distance") {
  Ledger ledger(1, 3, 1'000'000);
  ledger.enter(0, 0, 0);  // Never answered.
  for (std::uint32_t i = 1; i < 10'000; i += 2) {
    REQUIRE(ledger.enter(0, i, i) == i);
    REQUIRE(ledger.enter(0, i + 1, i + 1) == i + 1);
    REQUIRE_FALSE(ledger.has_room(0));
    REQUIRE(ledger.answer(0, i + i % 3 % 2, i).fate == Fate::answered);
    REQUIRE(ledger.answer(0, i + 1 - i % 3 % 2, i).fate == Fate::answered);
  }
  CHECK(ledger.under_way(0) == 1);
  CHECK(ledger.answer(0, 0, 10'000).planned_ns == 0);
  CHECK(ledger.under_way(0) == 0);
}

TEST_CASE("the books agree with a network that loses, delays, doubles and reorders") {
  constexpr std::size_t kConnections = 3;
  constexpr unsigned kPlaces = 8;
  constexpr Nanoseconds kTimeout = 1'000;
  Ledger ledger(kConnections, kPlaces, kTimeout);
  struct Datagram {
    std::size_t connection;
    std::uint32_t sequence;
    Nanoseconds sent, arrives;
  };
  struct Message {
    bool answered = false, late = false;
  };
  std::vector<Message> messages[kConnections];
  std::vector<Datagram> under_way;
  std::mt19937 random(9);
  std::uint64_t answered = 0, late = 0, duplicated = 0, expired = 0, expected_duplicates = 0;
  std::uint64_t expected_answers = 0, expected_late = 0;
  for (Nanoseconds now = 1; now < 300'000; ++now) {
    const std::size_t connection = random() % kConnections;
    auto& sent = messages[connection];
    if (now < 290'000 && ledger.has_room(connection)) {
      const std::uint32_t sequence = ledger.enter(connection, now, now);
      sent.emplace_back();
      const unsigned copies = random() % 10 == 0 ? 0 : random() % 10 == 0 ? 2 : 1;
      for (unsigned i = 0; i < copies; ++i) {
        const Nanoseconds delay = random() % 20 == 0 ? 1'500 + random() % 3'000 : random() % 900;
        under_way.push_back({connection, sequence, now, now + delay});
      }
    }
    for (std::size_t i = 0; i < under_way.size();) {
      const Datagram datagram = under_way[i];
      if (datagram.arrives > now) {
        ++i;
        continue;
      }
      under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(i));
      Message& message = messages[datagram.connection][datagram.sequence];
      if (message.answered || message.late)
        ++expected_duplicates;
      else if (now <= datagram.sent + kTimeout)
        ++expected_answers, message.answered = true;
      else
        ++expected_late, message.late = true;
      switch (ledger.answer(datagram.connection, datagram.sequence, now).fate) {
        case Fate::answered:
          ++answered;
          break;
        case Fate::late:
          ++late;
          break;
        case Fate::duplicated:
          ++duplicated;
          break;
      }
    }
    if (now % 125 == 0) {
      for (std::size_t i = 0; i < kConnections; ++i) expired += ledger.expire(i, now, kNothing);
    }
  }
  for (std::size_t i = 0; i < kConnections; ++i) CHECK(ledger.under_way(i) == 0);
  const std::uint64_t sent = messages[0].size() + messages[1].size() + messages[2].size();
  CHECK(sent > 1'000);
  CHECK(expired > 100);
  CHECK(late > 10);
  CHECK(duplicated > 100);
  CHECK(answered == expected_answers);
  CHECK(late == expected_late);
  CHECK(duplicated == expected_duplicates);
}

TEST_CASE("an answer is known for as many messages as are remembered") {
  for (const std::size_t connections : {1u, 100u, 100'000u}) {
    Ledger ledger(connections, 1, 1'000);
    CAPTURE(ledger.span());
    CHECK(ledger.span() >= 1'024);
    const std::size_t last = connections - 1;
    ledger.enter(last, 0, 0);
    CHECK(ledger.answer(last, 0, 1).fate == Fate::answered);
    for (std::uint32_t i = 1; i < ledger.span(); ++i)
      ledger.answer(last, ledger.enter(last, 0, 0), 1);
    CHECK(ledger.answer(last, 0, 2).fate == Fate::duplicated);
    ledger.enter(last, 0, 0);
    CHECK(ledger.answer(last, 0, 2).fate == Fate::late);
  }
}
