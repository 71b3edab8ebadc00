// The plan of an open-loop load: evenly spaced, and exact in its count.
#include "netload/schedule.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

namespace wiremark::tools {

namespace {

// Messages of all connections whose own planned time lies before `end`, counted one by one.
std::uint64_t counted_before(const Schedule& schedule, std::size_t connections, Nanoseconds end) {
  std::uint64_t count = 0;
  for (std::size_t connection = 0; connection < connections; ++connection) {
    for (std::uint64_t sequence = 0; schedule.at(connection, sequence) < end; ++sequence) ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("all messages together are evenly spaced") {
  constexpr std::size_t kConnections = 7;
  const Schedule schedule(5 * kSecond, kConnections, 10);
  std::vector<Nanoseconds> planned;
  for (std::uint64_t sequence = 0; sequence < 30; ++sequence) {
    for (std::size_t c = 0; c < kConnections; ++c) planned.push_back(schedule.at(c, sequence));
  }
  CHECK(planned.front() == 5 * kSecond);
  constexpr double kStep = 1e9 / 70;
  for (std::size_t i = 0; i < planned.size(); ++i) {
    CHECK(std::abs(static_cast<double>(planned[i] - 5 * kSecond) - kStep * static_cast<double>(i)) <
          1.5);
  }
}

TEST_CASE("every connection sends at its own rate") {
  const Schedule schedule(0, 1000, 4);
  for (const std::size_t c : {0, 1, 500, 999}) {
    for (std::uint64_t sequence = 0; sequence < 20; ++sequence) {
      const Nanoseconds step = schedule.at(c, sequence + 1) - schedule.at(c, sequence);
      CHECK(step >= kSecond / 4 - 1);
      CHECK(step <= kSecond / 4 + 1);
    }
  }
}

TEST_CASE("a day of messages does not drift") {
  const Schedule schedule(0, 10'000, 10);
  constexpr std::uint64_t kDay = 86'400;
  const Nanoseconds end = schedule.at(0, kDay * 10);
  CHECK(end >= kDay * kSecond - kMicrosecond);
  CHECK(end <= kDay * kSecond + kMicrosecond);
}

TEST_CASE("the count planned within a time is exact for whole rates") {
  CHECK(Schedule(0, 10'000, 10).planned_within(5 * kSecond) == 500'000);
  CHECK(Schedule(0, 10'000, 10).planned_within(30 * kSecond) == 3'000'000);
  CHECK(Schedule(0, 20, 50).planned_within(kSecond / 2) == 500);
  CHECK(Schedule(0, 1, 1).planned_within(10 * kSecond) == 10);
  CHECK(Schedule(0, 1, 1).planned_within(0) == 0);
  CHECK(Schedule(0, 1, 1).planned_within(1) == 1);  // The first message, at 0 itself.
}

TEST_CASE("the count planned within a time is exact for rates that no step divides") {
  // Rates whose step is no whole number of nanoseconds, for times that hold a whole count.
  for (const std::size_t connections : {1, 3, 7, 100, 333, 10'000}) {
    for (const double rate : {0.1, 0.3, 0.5, 0.7, 1.0, 3.0, 7.0, 9.9, 11.0, 33.3, 97.0}) {
      CAPTURE(connections);
      CAPTURE(rate);
      const auto planned = Schedule(0, connections, rate).planned_within(10 * kSecond);
      CHECK(planned ==
            static_cast<std::uint64_t>(std::llround(rate * 10 * static_cast<double>(connections))));
    }
  }
}

TEST_CASE("a rate of all together, shared out and not divisible, keeps its count") {
  for (const std::size_t connections : {3, 7, 9, 11, 13, 97, 997, 9'973}) {
    for (const double total : {100.0, 1000.0, 12'345.0, 100'000.0}) {
      CAPTURE(connections);
      CAPTURE(total);
      const double each = total / static_cast<double>(connections);
      CHECK(Schedule(0, connections, each).planned_within(2 * kSecond) ==
            static_cast<std::uint64_t>(2 * total));
    }
  }
}

TEST_CASE("the count is that of the planned times") {
  for (const double rate : {0.7, 3.0, 10.0, 33.3}) {
    for (const Nanoseconds length : {kSecond / 10, kSecond / 3, kSecond}) {
      CAPTURE(rate);
      CAPTURE(length);
      const Schedule schedule(0, 13, rate);
      const auto planned = static_cast<std::int64_t>(schedule.planned_within(length));
      const auto counted = static_cast<std::int64_t>(counted_before(schedule, 13, length));
      CHECK(std::abs(planned - counted) <= 1);  // Planned times are rounded down to 1 ns.
    }
  }
}

}  // namespace wiremark::tools
