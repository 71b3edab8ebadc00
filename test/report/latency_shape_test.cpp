// The shape of a latency in one line: its letters, its ends, and what is rare.
#include "report/latency_shape.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace wiremark;
using namespace wiremark::measure;
using namespace wiremark::report;

namespace {

LatencySummary latency_of(std::initializer_list<std::pair<Nanoseconds, std::uint64_t>> values) {
  Histogram histogram;
  for (const auto& [ns, count] : values) histogram.record_many(ns, count);
  return summarize(histogram, "send");
}

std::size_t columns(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

TEST_CASE("a line has both ends, and a letter for each part between them") {
  const auto latency = latency_of({{23'000, 10'000}, {1'070'000'000, 1}});
  const std::string blocks = latency_shape(latency, Letters::blocks);
  CHECK(blocks.starts_with("23.0 us \u2588 "));
  CHECK(blocks.ends_with(" \u2581 1.07 s"));  // One of 10,000 is seen.
  const std::string ascii = latency_shape(latency, Letters::ascii);
  CHECK(ascii.starts_with("23.0 us @ "));
  CHECK(ascii.ends_with(" . 1.07 s"));
  for (const std::string& text : {blocks, ascii}) CHECK(columns(text) == 8 + 40 + 7);
}

TEST_CASE("it fits 80 columns, however long the times are") {
  const auto latency = latency_of({{0, 1}, {1'000, 50}, {3'599'000'000'000, 3}});
  CHECK(columns(latency_shape(latency, Letters::blocks)) <= 80 - 14);
}

TEST_CASE("where there is nothing to draw, or to draw it with, there is no line") {
  CHECK(latency_shape(latency_of({}), Letters::blocks).empty());
  CHECK(latency_shape(latency_of({{5, 1}}), Letters::none).empty());
  CHECK(latency_shape(latency_of({{5, 1}}), Letters::ascii).starts_with("5 ns @"));
}
