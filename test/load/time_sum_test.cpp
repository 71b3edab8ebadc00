// Which part of a lost time a rate covers.
#include "load/time_sum.h"

#include <doctest/doctest.h>

using namespace wiremark;
using load::MeasuredPart;
using load::TimeSum;

TEST_CASE("what lies before the measured part or behind its end is left out") {
  TimeSum sum;
  sum.add(100, 900, {.from = 1'000, .end = 2'000});
  CHECK(sum.all().sum == 0);
  sum.add(800, 1'100, {.from = 1'000, .end = 2'000});
  CHECK(sum.all().sum == 100);
  sum.add(1'200, 1'250, {.from = 1'000, .end = 2'000});
  CHECK(sum.all().sum == 150);
  sum.add(1'600, 3'000, {.from = 1'000, .end = 2'000});
  sum.add(3'000, 9'000, {.from = 1'000, .end = 2'000});
  CHECK(sum.all().sum == 550);
  CHECK(sum.all().longest == 400);
}

TEST_CASE("what no answer follows is behind the last one") {
  TimeSum sum;
  sum.add(1'000, 1'500, {.from = 1'000});
  CHECK(sum.all().sum == 500);
  CHECK(sum.until(0).sum == 0);
  CHECK(sum.until(0).longest == 0);
  CHECK(sum.until(1'600).sum == 500);
  CHECK(sum.until(1'600).longest == 500);
  // An answer at 1,600, and two spans behind it that end at the same time.
  sum.add(1'700, 2'000, {.from = 1'000, .last_answer = 1'600});
  sum.add(1'550, 2'000, {.from = 1'000, .last_answer = 1'600});
  CHECK(sum.all().sum == 1'250);
  CHECK(sum.until(1'600).sum == 550);
  CHECK(sum.until(2'100).sum == 1'250);
  // The next answer brings in what lay before it, and nothing of what follows.
  sum.add(2'200, 3'000, {.from = 1'000, .last_answer = 2'100});
  CHECK(sum.until(2'100).sum == 1'250);
  CHECK(sum.until(2'100).longest == 500);
  CHECK(sum.all().longest == 800);
}

TEST_CASE("spans that are too short are not added, and the longest is one of them") {
  TimeSum sum(100);
  sum.add(1'000, 1'099, {});
  CHECK(sum.all().sum == 0);
  CHECK(sum.all().longest == 99);
  sum.add(2'000, 2'100, {});
  CHECK(sum.all().sum == 100);
  // It was long enough, although little of it was measured.
  sum.add(2'500, 3'000, {.from = 2'990});
  CHECK(sum.all().sum == 110);
}
