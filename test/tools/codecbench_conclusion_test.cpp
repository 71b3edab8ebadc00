// The sentence under a table of codecbench: the fastest of those that do the same.
#include <doctest/doctest.h>

#include "measure/codec_conclusion.h"

using namespace wiremark::measure;

namespace {

Cell cell_of(const char* format, const char* op, double ns, std::size_t repeats = 6) {
  Cell cell;
  cell.name.workload = "packet";
  cell.name.format = format;
  cell.name.implementation = "own";
  cell.name.op = op;
  cell.figures.batches = 1;
  for (std::size_t i = 0; i < repeats; ++i)
    cell.figures.repeats_ns.push_back(ns * (1 + 0.01 * static_cast<double>(i)));
  return cell;
}

}  // namespace

TEST_CASE("rows that do the same are concluded from in one sentence") {
  const Cell json = cell_of("json", "decode", 100), y3 = cell_of("y3", "decode", 50);
  CHECK(conclusion_of({json, y3}) ==
        "y3:own has 0.50 (0.50 to 0.50, 96.9 % confidence, 6 rounds) of json:own's time in "
        "packet/decode/hot");
  CHECK(conclusion_of({json, cell_of("y3", "encode", 50)}).empty());
  CHECK(conclusion_of({cell_of("json", "decode", 100, 5), cell_of("y3", "decode", 50, 5)})
            .starts_with("cannot tell y3:own and json:own apart"));
}

TEST_CASE("of several kinds of work the sentence says how often each is the fastest") {
  // Half of the time, but of too few repeats.
  const Cell json = cell_of("json", "encode", 9, 5), y3 = cell_of("y3", "encode", 4.5, 5);
  CHECK(conclusion_of({cell_of("json", "decode", 100), cell_of("y3", "decode", 50),
                       cell_of("bytes", "decode", 10), json, y3}) ==
        "of 2 kinds of work, with 95 % confidence or more: bytes:own is the fastest in 1, and "
        "cannot tell in 1; more --repeat might");
  CHECK(conclusion_of({json, y3, cell_of("json", "decode", 9), cell_of("y3", "decode", 9)}) ==
        "cannot tell what is the fastest in any of 2 kinds of work; more --repeat might");
}
