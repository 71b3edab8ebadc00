// Medians, spreads and intervals of rounds.
#include "measure/ratio.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

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

namespace {

// 1, 2, ... n: the k-th lowest is k.
std::vector<double> ranks(std::size_t n) {
  std::vector<double> figures(n);
  for (std::size_t i = 0; i < n; ++i) figures[(i * 7919) % n] = static_cast<double>(i + 1);
  return figures;
}

}  // namespace

TEST_CASE("the interval of a median has the ranks and the confidence of the binomial") {
  // By exact fractions: 1 - 2 (C(n,0) + ... + C(n,k-1)) / 2^n.
  const struct {
    std::size_t rounds, lower;
    double confidence;
  } known[] = {{1, 1, 0},
               {2, 1, 0.5},
               {4, 1, 0.875},
               {5, 1, 0.9375},
               {6, 1, 0.96875},
               {8, 1, 0.9921875},
               {9, 2, 0.9609375},
               {12, 3, 0.96142578125},
               {20, 6, 0.9586105346679688},
               {100, 40, 0.9647997997822952},
               {2000, 956, 0.9534471795082162},
               {20'000, 9861, 0.9514875384041096}};
  for (const auto& [rounds, lower, confidence] : known) {
    CAPTURE(rounds);
    const auto interval = median_interval(ranks(rounds)).value();
    CHECK(interval.lower == static_cast<double>(lower));
    CHECK(interval.upper == static_cast<double>(rounds + 1 - lower));
    CHECK(interval.confidence == doctest::Approx(confidence).epsilon(1e-8));
    CHECK(interval.median == static_cast<double>(rounds + 1) / 2);
    CHECK(interval.rounds == rounds);
  }
  CHECK(median_interval(ranks(9), 0.99)->lower == 1);
  CHECK(median_interval(ranks(9), 0.5)->lower == 3);
  CHECK_FALSE(median_interval({}).has_value());
}

TEST_CASE("the ratio of two samples goes from the one's lower end over the other's upper") {
  const auto ratio = unpaired_ratio(ranks(9), std::vector<double>{1, 1, 1, 1, 2, 2, 2}).value();
  CHECK(ratio.median == 5);
  CHECK(ratio.lower == 0.5);
  CHECK(ratio.upper == 9);
  // Both are the lowest to the highest, which miss with 2 / 2^9 and 2 / 2^7.
  CHECK(ratio.confidence == doctest::Approx(1 - 2.0 / 512 - 2.0 / 128).epsilon(1e-12));
  CHECK(ratio.rounds == 7);
  const auto enough = ranks(kUnpairedRoundsMin);
  CHECK(unpaired_ratio(enough, enough)->confidence >= kConfidence);
  const auto too_few = ranks(kUnpairedRoundsMin - 1);
  CHECK(unpaired_ratio(too_few, too_few)->confidence < kConfidence);
  CHECK(median_interval(ranks(kPairedRoundsMin))->confidence >= kConfidence);
  CHECK(median_interval(ranks(kPairedRoundsMin - 1))->confidence < kConfidence);
  CHECK(unpaired_ratio(ranks(1), ranks(1))->confidence == 0);
  CHECK_FALSE(unpaired_ratio(ranks(9), std::vector<double>{0, -1}).has_value());
}

TEST_CASE("a side is taken when all of the interval is on it, and sure enough") {
  const auto interval = median_interval(ranks(9)).value();  // 2 to 8
  CHECK(side_of(interval, 1.9) == Side::above);
  CHECK(side_of(interval, 2) == Side::undecided);
  CHECK(side_of(interval, 5) == Side::undecided);
  CHECK(side_of(interval, 8) == Side::undecided);
  CHECK(side_of(interval, 8.1) == Side::below);
  CHECK(side_of(interval, 1.9, 0.99) == Side::undecided);
  CHECK(side_of(median_interval(ranks(5)).value(), 100) == Side::undecided);
}

namespace {

/// The factor by which a machine changes a figure in a given round.
using Noise = double (*)(std::mt19937_64&, std::size_t round);

double normal_noise(std::mt19937_64& random, std::size_t) {
  return 1 + std::normal_distribution<double>(0, 0.05)(random);
}

double skewed_noise(std::mt19937_64& random, std::size_t) {
  return std::lognormal_distribution<double>(0, 0.5)(random);
}

// A machine that gets slower and slower, with a neighbour that now and then takes a lot.
double drifting_noise(std::mt19937_64& random, std::size_t round) {
  const double drift = 1 + 0.05 * static_cast<double>(round);
  return drift * std::exp(0.02 * std::cauchy_distribution<double>()(random));
}

constexpr double kTrueRatio = 1.3;
constexpr int kExperiments = 4000;  // Four in a thousand is then the error of the share found.

double share_covered(std::size_t rounds, Noise noise, bool paired, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  int covered = 0;
  for (int i = 0; i < kExperiments; ++i) {
    std::vector<std::pair<double, double>> pairs;
    std::vector<double> first, second;
    for (std::size_t round = 0; round < rounds; ++round) {
      pairs.emplace_back(kTrueRatio * noise(random, round), noise(random, round));
      first.push_back(pairs.back().first);
      second.push_back(pairs.back().second);
    }
    const auto interval = paired ? paired_ratio(pairs) : unpaired_ratio(first, second);
    if (interval->lower <= kTrueRatio && kTrueRatio <= interval->upper) ++covered;
  }
  return static_cast<double>(covered) / kExperiments;
}

}  // namespace

TEST_CASE("an interval holds the true ratio as often as it says, whatever the noise") {
  for (const std::size_t rounds : {6, 9, 12, 30}) {
    CAPTURE(rounds);
    const double claimed = median_interval(ranks(rounds))->confidence;
    for (const Noise noise : {normal_noise, skewed_noise, drifting_noise}) {
      const double covered = share_covered(rounds, noise, true, 1);
      CAPTURE(covered);
      CHECK(covered >= 0.94);
      CHECK(covered <= 0.99);
      CHECK(std::abs(covered - claimed) < 0.015);
      // Without pairs it may be wider than it has to be, never narrower.
      if (rounds >= 9) CHECK(share_covered(rounds, noise, false, 2) >= 0.95);
    }
  }
}
