// The plan of an open-loop load: exact in its count, evenly spaced or a Poisson process.
#include "load/plan/schedule.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

namespace wiremark::load {

namespace {

Schedule even(std::size_t connections, double rate_hz, Nanoseconds length) {
  return {connections, rate_hz, length, UINT64_MAX};
}

Schedule poisson(std::size_t connections, double rate_hz, Nanoseconds length,
                 std::uint64_t seed = 1) {
  return Schedule::poisson(connections, rate_hz, length, UINT64_MAX, seed);
}

// Messages of all connections whose own planned time lies before `end`, counted one by one.
std::uint64_t counted_before(const Schedule& schedule, Nanoseconds end) {
  std::uint64_t count = 0;
  while (count < schedule.places() && schedule.at(count) < end) ++count;
  return count;
}

}  // namespace

TEST_CASE("all messages together are evenly spaced") {
  const Schedule schedule = even(7, 10, 30 * kSecond);
  constexpr double kStep = 1e9 / 70;
  CHECK(schedule.at(0) == 0);
  for (std::uint64_t place = 0; place < 210; ++place) {
    CHECK(std::abs(static_cast<double>(schedule.at(place)) - kStep * static_cast<double>(place)) <
          1.5);
  }
}

TEST_CASE("every connection sends at its own rate") {
  const Schedule schedule = even(1000, 4, kSecond);
  for (const std::size_t c : {0, 1, 500, 999}) {
    for (std::uint64_t sequence = 0; sequence < 20; ++sequence) {
      const Nanoseconds step =
          schedule.at(schedule.place(c, sequence + 1)) - schedule.at(schedule.place(c, sequence));
      CHECK(step >= kSecond / 4 - 1);
      CHECK(step <= kSecond / 4 + 1);
    }
  }
}

TEST_CASE("a day of messages does not drift") {
  const Schedule schedule = even(10'000, 10, kSecond);
  constexpr std::uint64_t kDay = 86'400;
  const Nanoseconds end = schedule.at(schedule.place(0, kDay * 10));
  CHECK(end >= kDay * kSecond - kMicrosecond);
  CHECK(end <= kDay * kSecond + kMicrosecond);
}

TEST_CASE("the count planned within a time is exact for whole rates") {
  CHECK(even(10'000, 10, 5 * kSecond).places() == 500'000);
  CHECK(even(10'000, 10, 30 * kSecond).places() == 3'000'000);
  CHECK(even(20, 50, kSecond / 2).places() == 500);
  CHECK(even(1, 1, 10 * kSecond).places() == 10);
  CHECK(even(1, 1, 0).places() == 0);
  CHECK(even(1, 1, 1).places() == 1);  // The first message, at 0 itself.
  CHECK(Schedule(1, 1, 10 * kSecond, 4).places() == 4);
  CHECK(Schedule(1, 1, kNever, 77).places() == 77);
}

TEST_CASE("the count planned within a time is exact for rates that no step divides") {
  // Rates whose step is no whole number of nanoseconds, for times that hold a whole count.
  for (const std::size_t connections : {1, 3, 7, 100, 333, 10'000}) {
    for (const double rate : {0.1, 0.3, 0.5, 0.7, 1.0, 3.0, 7.0, 9.9, 11.0, 33.3, 97.0}) {
      CAPTURE(connections);
      CAPTURE(rate);
      CHECK(even(connections, rate, 10 * kSecond).places() ==
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
      CHECK(even(connections, each, 2 * kSecond).places() == static_cast<std::uint64_t>(2 * total));
    }
  }
}

TEST_CASE("the warm-up ends where the planned times say") {
  for (const double rate : {0.7, 3.0, 10.0, 33.3}) {
    for (const Nanoseconds length : {kSecond / 10, kSecond / 3, kSecond, 9 * kSecond}) {
      CAPTURE(rate);
      CAPTURE(length);
      for (const Schedule& schedule :
           {even(13, rate, 5 * kSecond), poisson(13, rate, 5 * kSecond)}) {
        const auto first = static_cast<std::int64_t>(schedule.first_from(length));
        const auto counted = static_cast<std::int64_t>(counted_before(schedule, length));
        CHECK(std::abs(first - counted) <= 1);  // Planned times are rounded down to 1 ns.
      }
    }
  }
}

TEST_CASE("Poisson arrivals are the same for the same seed and others for another") {
  const Schedule one = poisson(5, 100, kSecond, 7), same = poisson(5, 100, kSecond, 7);
  const Schedule other = poisson(5, 100, kSecond, 8);
  REQUIRE(one.places() == same.places());
  bool differ = false;
  for (std::uint64_t place = 0; place < one.places(); ++place) {
    CHECK(one.at(place) == same.at(place));
    differ |= place < other.places() && one.at(place) != other.at(place);
  }
  CHECK(differ);
}

TEST_CASE("Poisson arrivals rise, end in time, and any place is found alone") {
  const Schedule schedule = poisson(10, 100, 2 * kSecond);
  for (std::uint64_t place = 1; place < schedule.places(); ++place)
    CHECK(schedule.at(place) >= schedule.at(place - 1));
  CHECK(schedule.at(schedule.places() - 1) < 2 * kSecond);
  CHECK(Schedule::poisson(10, 100, kNever, 1234, 1).places() == 1234);
}

TEST_CASE("gaps of Poisson arrivals are exponential and know nothing of one another") {
  constexpr std::uint64_t kPlaces = 200'000;
  const Schedule schedule = Schedule::poisson(100, 50, kNever, kPlaces, 3);
  std::vector<double> gaps;
  for (std::uint64_t place = 1; place < kPlaces; ++place)
    gaps.push_back(static_cast<double>(schedule.at(place) - schedule.at(place - 1)) * 5000 / 1e9);
  double sum = 0, squares = 0, neighbours = 0;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    sum += gaps[i];
    squares += gaps[i] * gaps[i];
    if (i > 0) neighbours += (gaps[i] - 1) * (gaps[i - 1] - 1);
  }
  // Of 200,000 values with a mean and a deviation of 1, five standard errors are 0.011; squares
  // deviate by sqrt(20), products of neighbours by 1.
  const auto count = static_cast<double>(gaps.size());
  CHECK(sum / count == doctest::Approx(1).epsilon(0.012));
  CHECK(squares / count == doctest::Approx(2).epsilon(0.026));
  CHECK(std::abs(neighbours / count) < 0.012);
  std::ranges::sort(gaps);
  for (const double quantile : {0.1, 0.5, 0.9, 0.99}) {
    const double found = gaps[static_cast<std::size_t>(quantile * count)];
    CHECK(found == doctest::Approx(-std::log(1 - quantile)).epsilon(0.04));
  }
}

TEST_CASE("the count of Poisson arrivals spreads as it should") {
  // 400 plans of 1,000 expected: the mean within five standard errors, the variance near the mean.
  double sum = 0, squares = 0;
  constexpr int kPlans = 400;
  for (int seed = 0; seed < kPlans; ++seed) {
    const auto places = static_cast<double>(poisson(10, 100, kSecond, 1000 + seed).places());
    sum += places - 1000;
    squares += (places - 1000) * (places - 1000);
  }
  CHECK(std::abs(sum / kPlans) < 5 * std::sqrt(1000.0 / kPlans));
  CHECK(squares / kPlans > 600);
  CHECK(squares / kPlans < 1500);
}

}  // namespace wiremark::load
