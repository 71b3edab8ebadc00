// The coarse histogram: which values share a bucket, and that nothing is lost on the way to it.
#include "measure/coarse_histogram.h"

#include <doctest/doctest.h>

using namespace wiremark;
using namespace wiremark::measure;

TEST_CASE("each power of two is cut into eight") {
  for (Nanoseconds value = 0; value < 16; ++value) CHECK(CoarseHistogram::index_of(value) == value);
  for (std::size_t index = 0; index < CoarseHistogram::kBuckets; ++index) {
    CAPTURE(index);
    const Nanoseconds lowest = CoarseHistogram::lowest_of(index);
    const Nanoseconds highest = CoarseHistogram::highest_of(index);
    CHECK(CoarseHistogram::index_of(lowest) == index);
    CHECK(CoarseHistogram::index_of(highest) == index);
    CHECK(CoarseHistogram::lowest_of(index + 1) == highest + 1);
    CHECK(static_cast<double>(highest + 1) <= static_cast<double>(lowest) * 1.125 + 1);
  }
  CHECK(CoarseHistogram::index_of(1 << 20) + 8 == CoarseHistogram::index_of(1 << 21));
}

TEST_CASE("a bucket of the fine histogram lies in one of the coarse") {
  for (std::size_t index = 0; index <= Histogram::index_of(Histogram::kHighest); ++index) {
    if (CoarseHistogram::index_of(Histogram::lowest_of(index)) ==
        CoarseHistogram::index_of(Histogram::highest_of(index)))
      continue;
    FAIL(index);
  }
}

TEST_CASE("it is made of a histogram, and added up") {
  Histogram fine;
  fine.record_many(100, 3);
  fine.record_many(5'000'000, 97);
  fine.record(Histogram::kHighest);
  CoarseHistogram coarse(fine);
  CHECK(coarse.count() == 101);
  CHECK(coarse.percentile(1) == CoarseHistogram::highest_of(CoarseHistogram::index_of(100)));
  CHECK(coarse.percentile(50) == CoarseHistogram::highest_of(CoarseHistogram::index_of(5'000'000)));
  coarse.for_each([&](std::size_t index, std::uint64_t count) { coarse.add(index, count); });
  CHECK(coarse.count() == 202);
  CHECK_FALSE(coarse.add(CoarseHistogram::kBuckets, 1));
  CHECK(CoarseHistogram().percentile(99) == 0);
}
