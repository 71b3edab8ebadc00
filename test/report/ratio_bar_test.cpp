// A ratio as a bar in one line: where its interval and 1 stand, and how wide it is.
#include "report/ratio_bar.h"

#include <doctest/doctest.h>

using namespace wiremark::measure;
using namespace wiremark::report;

namespace {

MedianInterval of(double lower, double median, double upper) {
  return {.median = median, .lower = lower, .upper = upper, .confidence = 0.97, .rounds = 6};
}

}  // namespace

TEST_CASE("a bar has 1 in its middle, and the ratio on the line of its interval") {
  CHECK(ratio_bar(of(0.5, 0.5, 1), 2, Letters::ascii) == "o-----------|");
  CHECK(ratio_bar(of(1, 2, 4), 4, Letters::ascii) == "            |-----o------");
  CHECK(ratio_bar(of(0.25, 1, 4), 4, Letters::ascii) == "------------o------------");
  CHECK(
      ratio_bar(of(1, 2, 4), 4, Letters::blocks) ==
      "            \u2502\u2500\u2500\u2500\u2500\u2500\u25cf\u2500\u2500\u2500\u2500\u2500\u2500");
  CHECK(ratio_bar(of(1, 2, 4), 4, Letters::none).empty());
}

TEST_CASE("an axis holds the interval, and no less than 5 %") {
  CHECK(axis_reach(of(0.99, 1, 1.01)) == 1.05);
  CHECK(axis_reach(of(0.5, 1, 1.6)) == 2);
  CHECK(axis_reach(of(0.9, 1, 1.6)) == 1.6);
}
