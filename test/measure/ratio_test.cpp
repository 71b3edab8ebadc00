// Medians and spreads of paired rounds.
#include "measure/ratio.h"

#include <doctest/doctest.h>

#include <limits>

using namespace wiremark::measure;

TEST_CASE("the median is the middle one, or halfway between the middle two") {
  const auto odd = spread_of({30, 10, 20}).value();
  CHECK(odd.median == 20);
  CHECK(odd.min == 10);
  CHECK(odd.max == 30);
  CHECK(odd.rounds == 3);
  CHECK(spread_of({4, 1, 2, 100})->median == 3);
  CHECK(spread_of({7})->median == 7);
  CHECK_FALSE(spread_of({}).has_value());
}

TEST_CASE("a ratio is taken round by round, before the median") {
  // The medians' own ratio would be 20 / 10.
  const std::pair<double, double> rounds[] = {{10, 10}, {20, 5}, {300, 100}};
  const auto ratio = ratio_of(rounds).value();
  CHECK(ratio.median == 3);
  CHECK(ratio.min == 1);
  CHECK(ratio.max == 4);
  CHECK(ratio.rounds == 3);
}

TEST_CASE("rounds without a figure are left out") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::pair<double, double> rounds[] = {
      {0, 5}, {5, 0}, {-1, 1}, {kInfinity, 1}, {std::numeric_limits<double>::quiet_NaN(), 1},
      {6, 3}};
  CHECK(ratio_of(rounds)->rounds == 1);
  CHECK(ratio_of(rounds)->median == 2);
  CHECK_FALSE(ratio_of(std::span(rounds).first(5)).has_value());
}
