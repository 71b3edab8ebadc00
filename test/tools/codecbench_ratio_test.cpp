// What codecbench concludes from its repeats: about its promises, and about an earlier run.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "codecbench/baseline.h"
#include "codecbench/targets.h"

using namespace wiremark;
using namespace wiremark::tools;

namespace {

const std::vector<double> kSteady = {100, 101, 102, 103, 104, 105, 106, 107, 108};

std::vector<double> times(double factor, std::vector<double> repeats) {
  for (double& repeat : repeats) repeat *= factor;
  return repeats;
}

Cell cell_of(std::string_view format, std::string_view implementation, std::string_view op,
             std::vector<double> repeats) {
  Cell cell;
  cell.name.workload = "packet";
  cell.name.shape = "ascii";
  cell.name.format = format;
  cell.name.implementation = implementation;
  cell.name.op = op;
  cell.figures.batches = repeats.size();
  cell.figures.repeats_ns = std::move(repeats);
  return cell;
}

constexpr const char* kKey = "packet/ascii/json:own/decode/hot";

/// The one row of a run that took `now`, beside one that took `then`.
Change changed(std::vector<double> now, std::vector<double> then) {
  const auto comparison = compare_with({cell_of("json", "own", "decode", std::move(then))},
                                       {cell_of("json", "own", "decode", std::move(now))}, 5);
  REQUIRE(comparison.changes.size() == 1);
  return comparison.changes.front();
}

/// The line about "bytes encode/memcpy", which is promised to be at most 2.5.
std::string promise(std::vector<double> encode, std::vector<double> copy) {
  const std::string text = format_targets({cell_of("bytes", "own", "encode", std::move(encode)),
                                           cell_of("bytes", "memcpy", "encode", std::move(copy))});
  const std::size_t at = text.find("bytes encode/memcpy");
  return text.substr(at, text.find('\n', at) - at);
}

bool ends_in(const std::string& line, std::string_view word) { return line.ends_with(word); }

}  // namespace

TEST_CASE("codecbench: what is promised of a library that is not in every build needs its rows") {
  const Cell own = cell_of("json", "own", "encode", kSteady);
  const std::string line = "yyjson/json encode, ascii ";
  const std::string with =
      format_targets({own, cell_of("json", "yyjson", "encode", times(2, kSteady))});
  CHECK(with.contains(line));
  const std::string without = format_targets({own});
  CHECK_FALSE(without.contains("yyjson"));
  CHECK(without.contains("nlohmann/json encode, ascii "));
}

TEST_CASE("a row is slower when all of the interval is over the tolerance") {
  CHECK(changed(times(1.2, kSteady), kSteady).answer == report::Answer::slower);
  CHECK(changed(times(1.1, kSteady), kSteady).answer == report::Answer::undecided);
  // A single repeat that disagrees is enough to leave it undecided.
  CHECK(changed({100, 125, 125, 125, 125, 125, 125, 125, 125}, kSteady).answer ==
        report::Answer::undecided);
  const Change change = changed(times(1.2, kSteady), kSteady);
  CHECK(format_interval(change.ratio) == "1.20 (1.11 to 1.30, 99.2 % sure)");
}

TEST_CASE("runs that change places have the opposite answer") {
  CHECK(changed(kSteady, times(1.2, kSteady)).answer == report::Answer::faster);
  CHECK(changed(kSteady, times(1.1, kSteady)).answer == report::Answer::undecided);
}

TEST_CASE("a row is level when all of the interval is within the tolerance") {
  const std::vector<double> narrow = {100, 100, 100, 101, 101, 101, 102, 102, 102};
  CHECK(changed(narrow, narrow).answer == report::Answer::level);
  CHECK(changed(kSteady, kSteady).answer == report::Answer::undecided);
}

TEST_CASE("too few repeats tell nothing, however far apart") {
  const std::vector<double> six = {1, 1, 1, 1, 1, 1};
  const std::vector<double> seven = {1, 1, 1, 1, 1, 1, 1};
  CHECK(changed(times(10, six), six).answer == report::Answer::undecided);
  CHECK(changed(times(10, seven), seven).answer == report::Answer::slower);
}

TEST_CASE("a row that was not there is new") {
  const auto comparison =
      compare_with({cell_of("y3", "own", "decode", kSteady), cell_of("json", "own", "decode", {})},
                   {cell_of("json", "own", "decode", kSteady)}, 5);
  CHECK(comparison.changes.empty());
  CHECK(comparison.missing == std::vector<std::string>{kKey});
}

TEST_CASE("a promise is met, missed, or straddled by what the repeats know") {
  CHECK(ends_in(promise(times(2, kSteady), kSteady), "met"));
  CHECK(ends_in(promise(times(3, kSteady), kSteady), "MISSED"));
  CHECK(ends_in(promise({2, 2, 2, 2, 2.4, 2.6, 2.6, 3, 3}, {1, 1, 1, 1, 1, 1, 1, 1, 1}),
                "undecided"));
  CHECK(ends_in(promise({2, 2, 2, 2, 2}, {1, 1, 1, 1, 1}), "undecided"));
}

TEST_CASE("a ratio is taken repeat by repeat") {
  // The machine was ten times as slow in half of the repeats, with the same ratio in all.
  const std::vector<double> moods = {10, 1, 10, 1, 10, 1, 10, 1, 10};
  CHECK(promise(times(2.4, moods), moods).find("2.40 to 2.40") != std::string::npos);
  CHECK(ends_in(promise(times(2.4, moods), moods), "met"));
}
