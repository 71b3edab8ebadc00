// Conclusions: one sentence, of what is sure or of what it would take.
#include "measure/conclusion.h"

#include <doctest/doctest.h>

using namespace wiremark::measure;

TEST_CASE("a conclusion is one sentence, the same as that of the scripts") {
  const auto of = [](const std::vector<double>& ratios) {
    return conclusion(median_interval(ratios).value(), "uring", "epoll", "CPU");
  };
  // As in test/bench/ratio_test.py.
  CHECK(of({0.91, 0.92, 0.93, 0.95, 0.96, 0.97}) ==
        "uring has 0.94 (0.91 to 0.97, 96.9 % confidence, 6 rounds) of epoll's CPU");
  CHECK(of({0.88, 0.9, 0.94, 0.96, 0.97, 1.02}) ==
        "cannot tell uring and epoll apart by CPU: 0.95 (0.88 to 1.02, 96.9 % confidence, 6 "
        "rounds); 12 rounds might");
  CHECK(of(std::vector<double>(5, 0.5)) ==
        "cannot tell uring and epoll apart by CPU: 0.50 (0.50 to 0.50, 93.8 % confidence, 5 "
        "rounds); 6 rounds might");
  CHECK(of({0.5}) ==
        "cannot tell uring and epoll apart by CPU: 0.50 (0.50 to 0.50, 0.0 % confidence, 1 "
        "round); 6 rounds might");
  CHECK(of(std::vector<double>(6, 1.0)) ==
        "cannot tell uring and epoll apart by CPU: 1.00 (1.00 to 1.00, 96.9 % confidence, 6 "
        "rounds); not even 1000 rounds might");
}

TEST_CASE("the rounds that might tell grow with the square of how far the interval reaches") {
  const MedianInterval ratio{
      .median = 1.1, .lower = 0.95, .upper = 1.3, .confidence = 0.97, .rounds = 9};
  CHECK(rounds_that_might(ratio, 1) == 22);  // 9 (log(1.1 / 0.95) / log(1.1))^2
  CHECK(rounds_that_might(ratio, 1.099) == 0);
  CHECK(rounds_that_might({.median = 2, .lower = 2, .upper = 2, .confidence = 0.5, .rounds = 2}, 1,
                          kUnpairedRoundsMin) == 7);
}
