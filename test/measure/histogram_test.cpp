// The histogram against HdrHistogram's own figures, and what ours adds: exact extremes, clamping,
// differences, and copies taken while another thread records.
#include "measure/histogram.h"

#include <doctest/doctest.h>
#include <malloc.h>

#include <atomic>
#include <fstream>
#include <thread>
#include <vector>

#include "hdr_figures.h"
#include "measure/build_info.h"
#include "measure/cpu_usage.h"

using namespace wiremark;
using namespace wiremark::measure;

namespace {

Histogram histogram_of(const nlohmann::json& parts) {
  Histogram whole;
  for (const auto& part : parts) {
    Histogram one;
    for (const auto& entry : part) one.record_many(entry[0], entry[1]);
    whole.merge(one);
  }
  return whole;
}

bool same(const Histogram& one, const Histogram& other) {
  return hdr_figures(one) == hdr_figures(other) && one.min() == other.min() &&
         one.max() == other.max() && one.clamped() == other.clamped();
}

}  // namespace

TEST_CASE("every figure is HdrHistogram's") {
  std::ifstream file(HDR_ORACLE_JSON);
  REQUIRE(file);
  const auto cases = nlohmann::json::parse(file);
  REQUIRE(cases.size() >= 14);
  for (const auto& example : cases) {
    const std::string name = example["name"];
    CAPTURE(name);
    const auto actual = hdr_figures(histogram_of(example["parts"]));
    for (const auto& [figure, expected] : example["expected"].items()) {
      CAPTURE(figure);
      if (expected.is_number_float()) {
        CHECK(actual[figure].get<double>() ==
              doctest::Approx(expected.get<double>()).epsilon(1e-9));
      } else {
        CHECK(actual[figure] == expected);
      }
    }
  }
}

TEST_CASE("buckets follow each other without gap or overlap, up to an hour") {
  CHECK(Histogram::lowest_of(0) == 0);
  for (std::size_t index = 0; index + 1 < Histogram::kBuckets; ++index) {
    CAPTURE(index);
    REQUIRE(Histogram::highest_of(index) + 1 == Histogram::lowest_of(index + 1));
    REQUIRE(Histogram::index_of(Histogram::lowest_of(index)) == index);
    REQUIRE(Histogram::index_of(Histogram::highest_of(index)) == index);
  }
  CHECK(Histogram::highest_of(Histogram::kBuckets - 1) >= Histogram::kHighest);
}

TEST_CASE("an empty histogram answers 0 to everything") {
  const Histogram histogram;
  CHECK(histogram.empty());
  CHECK(histogram.count() == 0);
  CHECK(histogram.min() == 0);
  CHECK(histogram.max() == 0);
  CHECK(histogram.mean() == 0);
  CHECK(histogram.stddev() == 0);
  CHECK(histogram.percentile(99) == 0);
}

// A sanitizer keeps shadows of what is read.
TEST_CASE("memory is taken where something was counted, or by touch()" *
          doctest::skip(!build_info().sanitizers.empty())) {
  constexpr std::size_t kMany = 64;
  ::mallopt(M_MMAP_THRESHOLD, 128 << 10);  // Which what was freed before has raised.
  ::mallopt(M_PERTURB, 0);                 // It would write to all that is allocated.
  const auto resident = [] { return memory_of_process()->resident_bytes; };
  const std::uint64_t before = resident();
  std::vector<Histogram> sparse(kMany);
  sparse.front().record(kMillisecond);
  const std::vector<Histogram> copies(kMany, sparse.front());
  CHECK(copies.back().count() == 1);
  CHECK(resident() < before + kMany * Histogram::kBuckets);  // An eighth of each of them.
  for (Histogram& histogram : sparse) histogram.touch();
  CHECK(resident() >= before + kMany * Histogram::kBuckets * 8);
  CHECK(same(sparse.front(), copies.front()));
}

TEST_CASE("extremes are exact") {
  Histogram histogram;
  histogram.record(1'000'003);
  histogram.record(777'777'777);
  CHECK_FALSE(histogram.empty());
  CHECK(histogram.min() == 1'000'003);
  CHECK(histogram.max() == 777'777'777);
  histogram.record(0);
  CHECK(histogram.min() == 0);
  CHECK(histogram.count() == 3);
}

TEST_CASE("values over an hour count as an hour, and are told") {
  Histogram histogram;
  histogram.record(Histogram::kHighest);
  CHECK(histogram.clamped() == 0);
  histogram.record(Histogram::kHighest + 1);
  histogram.record_many(UINT64_MAX, 2);
  CHECK(histogram.clamped() == 3);
  CHECK(histogram.count() == 4);
  CHECK(histogram.max() == Histogram::kHighest);
}

TEST_CASE("values above another are counted by bucket") {
  Histogram histogram;
  for (Nanoseconds value = 1; value <= 1'000; ++value) histogram.record(value);
  histogram.record(5'000'000);
  CHECK(histogram.count_above(900) == 101);
  CHECK(histogram.count_above(0) == 1'001);
  CHECK(histogram.count_above(5'000'000) == 0);
  CHECK(histogram.count_above(UINT64_MAX) == 0);
}

TEST_CASE("the difference of two copies is what came between them") {
  Histogram histogram;
  for (const Nanoseconds value : {500U, 70'000U, 9'000'000U}) histogram.record(value);
  const Histogram earlier = histogram;

  Histogram nothing = histogram;
  nothing.subtract(earlier);
  CHECK(nothing.empty());
  CHECK(nothing.min() == 0);
  CHECK(nothing.max() == 0);

  for (const Nanoseconds value : {60'000U, 80'001U, 80'002U}) histogram.record(value);
  histogram.record(UINT64_MAX);
  Histogram interval = histogram;
  interval.subtract(earlier);
  CHECK(interval.count() == 4);
  CHECK(interval.clamped() == 1);
  CHECK(interval.percentile(50) == Histogram::highest_of(Histogram::index_of(80'001)));
  // The smallest of the interval is not the smallest of the whole, so its bucket stands for it.
  CHECK(Histogram::index_of(interval.min()) == Histogram::index_of(60'000));
  CHECK(interval.max() == Histogram::kHighest);
}

TEST_CASE("clearing leaves nothing behind") {
  Histogram histogram;
  histogram.record(UINT64_MAX);
  histogram.clear();
  CHECK(same(histogram, Histogram()));
  histogram.record(0);
  histogram.record(Histogram::kHighest);
  CHECK(histogram.count() == 2);
}

TEST_CASE("nothing is left of what another is copied over") {
  Histogram wide, narrow;
  for (const Nanoseconds value : {100U, 5'000U, 1'000'000'000U}) wide.record(value);
  narrow.record(5'001);
  const Histogram former = narrow;
  narrow = wide;
  CHECK(same(narrow, wide));
  CHECK(narrow.count() == 3);
  narrow = former;
  CHECK(same(narrow, former));
  for (const Nanoseconds value : {100U, 1'000'000'000U}) narrow.record(value);
  CHECK(narrow.count() == 3);
  narrow = Histogram();
  CHECK(same(narrow, Histogram()));
  narrow.record(5'001);
  CHECK(same(narrow, former));
}

TEST_CASE("restored buckets count, and lie at the extremes that are given with them") {
  Histogram histogram;
  CHECK(histogram.restore(Histogram::index_of(70'000), 2));
  CHECK(histogram.restore(Histogram::index_of(500), 3));
  CHECK(histogram.restore(Histogram::kBuckets - 1, 1));
  CHECK_FALSE(histogram.restore(Histogram::kBuckets, 1));
  CHECK(histogram.count() == 6);
  histogram.restore_bounds(0, Histogram::kHighest, 1);
  CHECK(histogram.count() == 6);
  CHECK(histogram.min() == 500);  // The bucket says so, whatever is given.
  CHECK(histogram.max() == Histogram::lowest_of(Histogram::kBuckets - 1));
}

TEST_CASE("copies taken while another thread records are consistent") {
  constexpr std::uint64_t kValues = 200'000;
  Histogram live;
  std::atomic<bool> done = false;
  std::thread writer([&] {
    for (std::uint64_t value = 1; value <= kValues; ++value)
      live.record(value * 7'919 % 1'000'000'007);
    done = true;
  });
  Histogram before;
  bool last_round = false;
  do {
    last_round = done;
    const Histogram copy = live;
    CHECK(copy.count() >= before.count());
    if (!copy.empty()) {
      CHECK(copy.min() >= copy.percentile(0));
      CHECK(copy.max() <= copy.percentile(100));
      CHECK(copy.min() <= copy.max());
    }
    before = copy;
  } while (!last_round);
  writer.join();
  CHECK(before.count() == kValues);
  CHECK(same(before, live));
}

TEST_CASE("a sum taken while another thread records counts nothing beyond its extremes") {
  Histogram live;
  std::atomic<bool> done = false;
  std::thread writer([&] {
    for (int round = 0; round < 100; ++round) {
      // Each value is beyond all before it, in a bucket of its own.
      for (std::size_t index = 0; index < Histogram::index_of(Histogram::kHighest); ++index)
        live.record(Histogram::lowest_of(index));
      live.clear();
    }
    done = true;
  });
  while (!done) {
    Histogram sum;
    sum.merge(live);
    const std::uint64_t counted = sum.count();
    for (const Nanoseconds value : {Nanoseconds{0}, Histogram::kHighest}) sum.record(value);
    CHECK(sum.count() == counted + 2);
  }
  writer.join();
}
