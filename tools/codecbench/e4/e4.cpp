// E4: messages of a hundred types, beside what was published.
#include "codecbench/e4/e4.h"

#include <fmt/format.h>

#include "bench/table.h"

namespace wiremark::tools {
namespace {

struct E4Figures {
  std::size_t bytes;
  double nest_ms;
  double union_ms;
};

/// For 5,000 turns each.
constexpr E4Figures kE4Published[] = {
    {20, 167, 216}, {100, 246, 256}, {500, 750, 789}, {1000, 1407, 1421}, {5000, 9471, 9690}};

constexpr std::string_view kE4Wrong =
    "\n"
    "What the original got wrong: its time grows with the payload, from 33 us a turn\n"
    "at 20 bytes to 1.9 ms at 5,000, so it is mostly the making of the payload that\n"
    "was timed, and the difference between the envelopes drowns in it (29 % at 20\n"
    "bytes, 2 % at 5,000). What a union costs is fixed: generated code keeps and\n"
    "clears a pointer per possible member. A decoder that looks at the bytes has no\n"
    "such members, and a server that only hands messages on needs the outer message\n"
    "alone (route). One run, no spread, no CPU.\n";

}  // namespace

void choose_e4(Selection& selection) {
  selection.workloads = {"envelope"};
  selection.ops = {"decode"};
  selection.access = {Access::hot};
  selection.sizes = {20, 100, 500, 1000, 5000};
}

std::string format_e4(const std::vector<Cell>& cells) {
  std::string text =
      "E4: nested bytes or a union of optional messages, down to the innermost field\n\n"
      "published, ms of 5,000 turns; ours, ns of one decode, hot\n";
  std::vector<std::string> rows;
  for (const Cell& cell : cells) {
    if (cell.name.shape == "nest" && cell.name.size == kE4Published[0].bytes &&
        cell.name.op == "decode") {
      rows.push_back(cell.name.row());
    }
  }
  for (const std::string& row : rows) {
    text += fmt::format("\n{}\n{:>11} {:>9} {:>9} {:>7}   {:>8} {:>8} {:>8} {:>7}\n", row, "bytes",
                        "pub nest", "pub union", "ratio", "nest", "union", "route", "ratio");
    for (const E4Figures& published : kE4Published) {
      const auto key = [&](std::string_view shape) {
        return fmt::format("envelope/{}={}/{}/decode/hot", shape, published.bytes, row);
      };
      const Cell* nest = find_cell(cells, key("nest"));
      const Cell* member = find_cell(cells, key("union"));
      text += fmt::format(
          "{:>11} {:>9.0f} {:>9.0f} {:>7.2f}   {:>8} {:>8} {:>8} {:>7}\n", published.bytes,
          published.nest_ms, published.union_ms, published.union_ms / published.nest_ms,
          bench::format_p50(cells, key("nest")), bench::format_p50(cells, key("union")),
          bench::format_p50(cells, key("route")),
          nest == nullptr || member == nullptr
              ? "-"
              : bench::format_figure(member->figures.ns_p50 / nest->figures.ns_p50));
    }
  }
  return text + std::string(kE4Wrong);
}

std::vector<report::Published> published_e4(const std::vector<Cell>& cells) {
  std::vector<report::Published> rows;
  for (const E4Figures& published : kE4Published) {
    const double ratio = published.union_ms / published.nest_ms;
    const auto key = [&](std::string_view shape) {
      return fmt::format("envelope/{}={}/protobuf:libprotobuf/decode/hot", shape, published.bytes);
    };
    report::Published row{"decode of a union, nested bytes being 1",
                          fmt::format("{} bytes", published.bytes), ratio, ratio};
    const Cell* nest = find_cell(cells, key("nest"));
    const Cell* member = find_cell(cells, key("union"));
    if (nest != nullptr && member != nullptr)
      row.ours = member->figures.ns_p50 / nest->figures.ns_p50;
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace wiremark::tools
