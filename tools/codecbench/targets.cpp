// The ratios this project promises, and how far a run is from them.
#include "codecbench/targets.h"

#include <fmt/format.h>

#include <algorithm>

#include "measure/ratio.h"

namespace wiremark::tools {
namespace {

/// `of` takes at least, or at most, `wanted` times as long as `to`; 0 promises nothing.
struct Target {
  std::string_view what;
  std::string_view of;
  std::string_view to;
  double wanted;
  bool at_most = false;
};

constexpr Target kTargets[] = {
    {"bytes encode / memcpy, hot", "packet/ascii/bytes:own/encode/hot",
     "packet/ascii/bytes:memcpy/encode/hot", 2.5, true},
    {"bytes decode / memcpy, hot", "packet/ascii/bytes:own/decode/hot",
     "packet/ascii/bytes:memcpy/encode/hot", 1, true},
    {"libprotobuf reused / protobuf decode, hot", "packet/ascii/protobuf:libprotobuf/decode/hot",
     "packet/ascii/protobuf:own/decode/hot", 8},
    {"libprotobuf reused / protobuf decode, cold", "packet/ascii/protobuf:libprotobuf/decode/cold",
     "packet/ascii/protobuf:own/decode/cold", 7},
    // The promise was measured against set_content(), the setter that protoc generates. Nothing can
    // be nine times as fast as assign(): copying the content alone takes longer.
    {"libprotobuf set_content() / protobuf encode, hot",
     "packet/ascii/protobuf:libprotobuf-set/encode/hot", "packet/ascii/protobuf:own/encode/hot", 9},
    {"libprotobuf text assigned / protobuf encode, hot",
     "packet/ascii/protobuf:libprotobuf/encode/hot", "packet/ascii/protobuf:own/encode/hot", 0},
    {"jansson / simdjson decode, hot", "packet/ascii/json:jansson/decode/hot",
     "packet/ascii/json:simdjson/decode/hot", 25},
    {"jansson / json decode, hot", "packet/ascii/json:jansson/decode/hot",
     "packet/ascii/json:own/decode/hot", 55},
    {"simdjson / json decode, hot", "packet/ascii/json:simdjson/decode/hot",
     "packet/ascii/json:own/decode/hot", 2},
    {"jansson / json encode, hot", "packet/ascii/json:jansson/encode/hot",
     "packet/ascii/json:own/encode/hot", 65},
    {"FlatBuffers builder / flatbuffers encode, hot", "packet/ascii/flatbuffers:builder/encode/hot",
     "packet/ascii/flatbuffers:own/encode/hot", 7},
    {"simdjson / y3 take of 63, packet checked, hot",
     "take/pairs=63/json:simdjson-partial/take/hot", "take/pairs=63/y3:own/take/hot", 2},
    {"simdjson / y3 take of 63, walk to key, hot", "take/pairs=63/json:simdjson-partial/take/hot",
     "take/pairs=63/y3:own-partial/take/hot", 4},
    {"simdjson / y3 take of 63, walk to key, cold", "take/pairs=63/json:simdjson-partial/take/cold",
     "take/pairs=63/y3:own-partial/take/cold", 4},
    {"libprotobuf union reused / route of 20 B, hot",
     "envelope/union=20/protobuf:libprotobuf/decode/hot",
     "envelope/route=20/protobuf:own/decode/hot", 20},
};

/// The promise that only processors with AVX-512 VBMI can keep.
constexpr Target kVbmiTarget = {"simdjson / y3 take of 63, AVX-512 VBMI, hot",
                                "take/pairs=63/json:simdjson-partial/take/hot",
                                "take/pairs=63/y3:own-partial/take/hot", 9};

/// Every repeat measures every row once, so what disturbs both in a repeat cancels out.
std::optional<measure::MedianInterval> ratio_of(const Cell& of, const Cell& to) {
  const std::vector<double>& first = of.figures.repeats_ns;
  const std::vector<double>& second = to.figures.repeats_ns;
  std::vector<std::pair<double, double>> repeats;
  for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i)
    repeats.emplace_back(first[i], second[i]);
  return measure::paired_ratio(repeats);
}

std::string format_target(const std::vector<Cell>& cells, const Target& target) {
  std::string line = fmt::format("{:<48} ", target.what);
  line += target.wanted == 0
              ? fmt::format("{:>8}", "-")
              : fmt::format("{} {:>4}x", target.at_most ? "<=" : ">=", target.wanted);
  const Cell* of = find_cell(cells, target.of);
  const Cell* to = find_cell(cells, target.to);
  if (of == nullptr || to == nullptr) {
    return line + fmt::format("  n/a (no row {})\n", of == nullptr ? target.of : target.to);
  }
  const auto ratio = ratio_of(*of, *to);
  if (!ratio) return line + "  n/a (no repeat has both)\n";
  line += fmt::format(" {:>8.2f}  {:<16} {:>5.1f} %  ", ratio->median,
                      fmt::format("{:.2f} to {:.2f}", ratio->lower, ratio->upper),
                      100 * ratio->confidence);
  if (target.wanted == 0) return line.substr(0, line.find_last_not_of(" ") + 1) + "\n";
  const measure::Side side = measure::side_of(*ratio, target.wanted);
  const measure::Side kept = target.at_most ? measure::Side::below : measure::Side::above;
  const std::string_view answer = side == measure::Side::undecided ? "undecided"
                                  : side == kept                   ? "met"
                                                                   : "MISSED";
  return line + fmt::format("{}\n", answer);
}

std::string format_allocations(const std::vector<Cell>& cells) {
  std::size_t counted = 0;
  std::string allocating;
  for (const Cell& cell : cells) {
    const CellName& name = cell.name;
    const CellFigures& figures = cell.figures;
    const bool promised =
        name.implementation.starts_with("own") || name.implementation.starts_with("simdjson");
    if (!promised || figures.batches == 0 || !figures.allocations) continue;
    ++counted;
    if (*figures.allocations > 0) allocating += " " + name.key();
  }
  if (counted == 0) return "allocations of own codecs and simdjson: n/a (not counted)\n";
  if (allocating.empty()) return fmt::format("allocations: 0 in {} rows, met\n", counted);
  return fmt::format("allocations: MISSED by{}\n", allocating);
}

}  // namespace

void choose_targets(Selection& selection) {
  selection.formats = {"all"};
  selection.implementations = {"all"};
  selection.workloads = {"all"};
  selection.ops = {"encode", "decode", "take"};
  selection.access = {Access::hot, Access::cold};
  selection.pairs = {63};
  selection.sizes = {20};
}

std::string format_targets(const std::vector<Cell>& cells, std::string_view in_use) {
  std::string text =
      fmt::format("{:<48} {:>8} {:>8}  {:<16} {:>7}\n", "time of the first / of the second",
                  "promised", "ours", "interval", "sure");
  for (const Target& target : kTargets) text += format_target(cells, target);
  if (in_use.ends_with("avx512vbmi")) {
    text += format_target(cells, kVbmiTarget);
  } else {
    text += fmt::format("{:<48} >= {:>4}x  n/a (in use: {})\n", kVbmiTarget.what,
                        kVbmiTarget.wanted, in_use);
  }
  return text + format_allocations(cells);
}

}  // namespace wiremark::tools
