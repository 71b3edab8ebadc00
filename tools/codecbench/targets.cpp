// The ratios this project promises, and how far a run is from them.
#include "codecbench/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bench/table.h"
#include "measure/ratio.h"

namespace wiremark::tools {
namespace {

/// `of` takes at least, or at most, `wanted` times as long as `to`.
struct Target {
  std::string what;
  std::string_view access;
  std::string of;
  std::string to;
  double wanted;
  bool at_most = false;
  bool per_byte = false;  ///< Times are divided by the bytes of the messages.
  bool optional = false;  ///< About a library that not every build has.
};

/// How far ahead of the best library each of our codecs is promised to be, wherever both are
/// measured: less could be the order of two functions in memory.
constexpr double kAhead = 1.3;

/// The fastest library that does the work of one of our codecs with no more checks than ours.
struct Rival {
  std::string_view format;
  std::string_view library;
  std::string_view op;
  bool optional = false;  ///< Not in every build; then the next best is promised alone.
};

constexpr Rival kPacketRivals[] = {
    {"protobuf", "libprotobuf", "decode"}, {"protobuf", "libprotobuf", "encode"},
    {"json", "simdjson-strict", "decode"}, {"json", "simdjson", "decode"},
    {"json", "nlohmann", "encode"},        {"json", "yyjson", "encode", true},
    {"json", "yyjson", "decode", true},    {"flatbuffers", "builder", "decode"},
    {"flatbuffers", "builder", "encode"},
};

constexpr Rival kTakeRivals[] = {{"protobuf", "libprotobuf", "take"},
                                 {"json", "simdjson-dom", "take"},
                                 {"json", "yyjson", "take", true},
                                 {"flatbuffers", "builder", "take"}};

constexpr Rival kEnvelopeRivals[] = {{"protobuf", "libprotobuf", "decode"},
                                     {"flatbuffers", "builder", "decode"}};

/// The promise about one rival: `where` starts the keys of both rows.
Target ahead_of(const Rival& rival, std::string_view where, std::string_view told,
                std::string_view access, std::string_view own = "own") {
  const auto key = [&](std::string_view implementation) {
    return fmt::format("{}/{}:{}/{}/{}", where, rival.format, implementation, rival.op, access);
  };
  return {fmt::format("{}/{} {}, {}{}", rival.library, rival.format, rival.op, told,
                      own == "own" ? "" : " called"),
          access,
          key(rival.library),
          key(own),
          kAhead,
          false,
          false,
          rival.optional};
}

void add_ahead(std::vector<Target>& targets, std::string_view access) {
  for (const Rival& rival : kPacketRivals) {
    for (const std::string_view shape : {"ascii", "text", "escapes"}) {
      // Only JSON has to escape anything.
      if (shape == "escapes" && rival.format != "json") continue;
      for (const std::string_view own : {"own", "own-called"}) {
        targets.push_back(ahead_of(rival, fmt::format("packet/{}", shape), shape, access, own));
      }
    }
  }
  for (const Rival& rival : kTakeRivals)
    targets.push_back(ahead_of(rival, "take/pairs=63", "1 of 63 checked", access));
  for (const Rival& rival : kEnvelopeRivals) {
    for (const std::string_view shape : {"nest", "union", "route"}) {
      targets.push_back(ahead_of(rival, fmt::format("envelope/{}=20", shape),
                                 fmt::format("{} of 20 B", shape), access));
    }
  }
}

/// y3 has no library in C++: what a user of simdjson would wait for the same value.
void add_y3(std::vector<Target>& targets, std::string_view access) {
  const auto key = [&](std::string_view row) {
    return fmt::format("take/pairs=63/{}/take/{}", row, access);
  };
  targets.push_back({"simdjson-dom/y3 take, 1 of 63 checked", access, key("json:simdjson-dom"),
                     key("y3:own"), 4});
  targets.push_back({"simdjson/y3 take, walk to 1 of 63", access, key("json:simdjson-partial"),
                     key("y3:own-partial"), 4});
}

/// What is promised of texts of one script.
void add_scripts(std::vector<Target>& targets, std::string_view access) {
  for (const std::string_view script : {"chinese", "russian"}) {
    const auto key = [&](std::string_view row, std::string_view shape) {
      return fmt::format("packet/{}/{}/decode/{}", shape, row, access);
    };
    const auto what = [&](std::string_view of) { return fmt::format("{} decode, {}", of, script); };
    targets.push_back({fmt::format("protobuf decode per byte, {}/ascii", script), access,
                       key("protobuf:own", script), key("protobuf:own", "ascii"), 1.5, true, true});
    targets.push_back({what("libprotobuf/protobuf"), access, key("protobuf:libprotobuf", script),
                       key("protobuf:own", script), 1});
    targets.push_back({what("simdjson-strict/json"), access, key("json:simdjson-strict", script),
                       key("json:own", script), 2});
  }
}

/// What is promised, in the order of the table.
std::vector<Target> promises() {
  std::vector<Target> targets = {
      {"bytes encode/memcpy", "hot", "packet/ascii/bytes:own/encode/hot",
       "packet/ascii/bytes:memcpy/encode/hot", 2.5, true},
      {"bytes decode/memcpy", "hot", "packet/ascii/bytes:own/decode/hot",
       "packet/ascii/bytes:memcpy/encode/hot", 1, true},
  };
  for (const std::string_view access : {"hot", "cold"}) {
    add_y3(targets, access);
    add_ahead(targets, access);
    add_scripts(targets, access);
  }
  return targets;
}

/// Every repeat measures every row once, so what disturbs both in a repeat cancels out.
std::optional<measure::MedianInterval> ratio_of(const Cell& of, const Cell& to, bool per_byte) {
  const std::vector<double>& first = of.figures.repeats_ns;
  const std::vector<double>& second = to.figures.repeats_ns;
  const double of_bytes = per_byte ? of.figures.wire_bytes : 1;
  const double to_bytes = per_byte ? to.figures.wire_bytes : 1;
  std::vector<std::pair<double, double>> repeats;
  for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i)
    repeats.emplace_back(first[i] / of_bytes, second[i] / to_bytes);
  return measure::paired_ratio(repeats);
}

/// The line of a target; `confidence` becomes that of its interval where that is lower.
std::string format_target(const std::vector<Cell>& cells, const Target& target,
                          double& confidence) {
  const Cell* of = find_cell(cells, target.of);
  if (target.optional && of == nullptr) return {};
  std::string line =
      fmt::format("{:<44}{} {:>3}x", target.what, target.at_most ? "<=" : ">=", target.wanted);
  const Cell* to = find_cell(cells, target.to);
  if (of == nullptr || to == nullptr)
    return line + fmt::format("  n/a (no row {})\n", of == nullptr ? target.of : target.to);
  const auto ratio = ratio_of(*of, *to, target.per_byte);
  if (!ratio) return line + "  n/a (no repeat has both)\n";
  confidence = std::min(confidence, ratio->confidence);
  line += fmt::format("{:>6} {:<12} ", bench::format_figure(ratio->median),
                      fmt::format("{} to {}", bench::format_figure(ratio->lower),
                                  bench::format_figure(ratio->upper)));
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
    const bool promised = name.implementation.starts_with("own") ||
                          name.implementation.starts_with("simdjson-strict");
    if (!promised || figures.batches == 0 || !figures.allocations) continue;
    ++counted;
    if (*figures.allocations > 0) allocating += " " + name.key();
  }
  if (counted == 0) return "allocations of own codecs and simdjson-strict: n/a (not counted)\n";
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

std::string format_targets(const std::vector<Cell>& cells) {
  std::string text;
  std::string_view access;
  double confidence = 1;
  for (const Target& target : promises()) {
    if (target.access != access) {
      text += fmt::format("{}{:<43}{:>8}{:>6} {}\n", text.empty() ? "" : "\n",
                          fmt::format("time of the first/of the second, {}", target.access),
                          "promised", "ours", "interval");
    }
    access = target.access;
    text += format_target(cells, target, confidence);
  }
  if (confidence < 1) text += fmt::format("\nintervals: {:.1f} % sure\n", 100 * confidence);
  return text + format_allocations(cells);
}

}  // namespace wiremark::tools
