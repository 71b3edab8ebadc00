// The cells as a table for people.
#include "bench/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "bench/packet_numbers.h"

namespace wiremark::bench {
namespace {

constexpr std::string_view kBold = "\033[1m";
constexpr std::string_view kPlain = "\033[0m";

/// Whether two cells are in one block of the table, within which figures can be compared.
bool same_block(const CellName& one, const CellName& other) {
  return one.workload == other.workload && one.shape == other.shape && one.size == other.size &&
         one.access == other.access;
}

/// What is the same in every operation of a block, and what is drawn anew.
std::string what_is_fixed(const CellName& name) {
  const bool hot = name.access == Access::hot;
  if (name.workload == "take")
    return hot ? "one packet" : "numbers of every length and sign, in random order";
  if (name.workload != "packet" || name.shape.empty()) return {};
  return hot ? fmt::format("head {} and guid {} in each, in one order", kPacketHead, kPacketGuid)
             : "numbers of every length and sign, in random order";
}

std::string block_title(const CellName& name) {
  std::string title = name.workload;
  if (name.size > 0) {
    title += fmt::format(", {} {}", name.size, name.shape);
  } else if (!name.shape.empty()) {
    title += ", " + name.shape;
  }
  title += fmt::format(", {}", to_string(name.access));
  const std::string fixed = what_is_fixed(name);
  return fixed.empty() ? title : title + ": " + fixed;
}

/// An encoder owns what it makes, and has nothing to validate.
bool encodes(const CellName& name) { return name.op == "encode"; }

/// What stands at the end of a row: how the values are given, and what happens to the object.
std::string format_labels(const CellName& name) {
  std::string text(encodes(name) ? "" : name.labels.result);
  if (name.labels.object != "none")
    text += fmt::format("{}{}", text.empty() ? "" : " ", name.labels.object);
  return text;
}

/// Rows of one group did the same work with the same checks.
std::string group_title(const CellName& name) {
  if (encodes(name)) return std::string(name.op);
  return fmt::format("{}, {}", name.op, name.labels.validated ? "checked" : "unchecked");
}

std::string format_count(const std::optional<double>& count) {
  if (!count) return "n/a";
  return *count == 0 ? "0" : format_figure(*count);
}

/// Of what is decoded the size is that of what was encoded.
std::string header(const CellName& group) {
  return fmt::format("{:<28}{:>7}{:>7}{:>6}{:>6}{}{:>7}{:>6}\n", group_title(group), "p50 ns",
                     "spread", "p99", "M/s", encodes(group) ? " bytes" : "", "allocs", "cpu");
}

std::string format_row(const Cell& cell) {
  const CellFigures& figures = cell.figures;
  std::string text = fmt::format("{:<28}", cell.name.row());
  if (cell.refused) return text + "  refused: " + *cell.refused + "\n";
  if (figures.batches == 0) return text + "  not measured\n";
  text += fmt::format("{:>7}{:>6.{}f}%{:>6}{:>6}", format_figure(figures.ns_p50),
                      figures.spread_pct, figures.spread_pct < 100 ? 1 : 0,
                      format_figure(figures.ns_p99), format_figure(figures.qps / 1e6));
  if (encodes(cell.name)) text += fmt::format("{:>6.0f}", figures.wire_bytes);
  text += fmt::format("{:>7}{:>6}", format_count(figures.allocations),
                      format_figure(figures.cpu_user_ns + figures.cpu_sys_ns));
  const std::string labels = format_labels(cell.name);
  return text + (labels.empty() ? "\n" : " " + labels + "\n");
}

/// What a row cost besides; most of it is asked for rarely.
std::string format_costs(const std::vector<const Cell*>& block) {
  std::string text = fmt::format("\n{:<38}{:>7}{:>7}{:>7}{:>7}{:>7}{:>7}\n", "", "min ns", "MB/s",
                                 "user", "sys", "instr", "cycles");
  for (const Cell* cell : block) {
    const CellFigures& figures = cell->figures;
    if (figures.batches == 0) continue;
    text += fmt::format("{:<38}{:>7}{:>7}{:>7}{:>7}{:>7}{:>7}\n",
                        fmt::format("{} {}", cell->name.row(), cell->name.op),
                        format_figure(figures.ns_min), format_figure(figures.mb_per_s),
                        format_figure(figures.cpu_user_ns), format_count(figures.cpu_sys_ns),
                        format_count(figures.instructions), format_count(figures.cycles));
  }
  return text;
}

/// Ops in their first order, those that check first; in each the fastest row first, and rows
/// without figures last.
void sort_block(std::vector<const Cell*>& block) {
  std::vector<std::string_view> ops;
  for (const Cell* cell : block) {
    if (std::find(ops.begin(), ops.end(), cell->name.op) == ops.end()) ops.push_back(cell->name.op);
  }
  const auto rank = [&ops](const Cell* cell) {
    const auto op = std::find(ops.begin(), ops.end(), cell->name.op) - ops.begin();
    const bool unchecked = !encodes(cell->name) && !cell->name.labels.validated;
    return std::tuple(op, unchecked, cell->figures.batches == 0, cell->figures.ns_p50, cell);
  };
  std::sort(block.begin(), block.end(),
            [&rank](const Cell* a, const Cell* b) { return rank(a) < rank(b); });
}

}  // namespace

std::string format_figure(double figure) {
  if (figure >= 99.95) return fmt::format("{:.0f}", figure);
  return fmt::format("{:.{}f}", figure, figure >= 9.995 ? 1 : 2);
}

std::string format_p50(const std::vector<Cell>& cells, std::string_view key) {
  const Cell* cell = find_cell(cells, key);
  return cell == nullptr ? "-" : format_figure(cell->figures.ns_p50);
}

std::string format_table(const std::vector<Cell>& cells, bool colour, bool costs) {
  std::string text;
  for (std::size_t i = 0; i < cells.size();) {
    std::vector<const Cell*> block;
    const CellName& first = cells[i].name;
    // The cells of a block are contiguous, except that hot and cold alternate.
    for (const Cell& cell : cells) {
      if (same_block(cell.name, first)) block.push_back(&cell);
    }
    const bool seen = std::any_of(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(i),
                                  [&first](const Cell& c) { return same_block(c.name, first); });
    ++i;
    if (seen) continue;
    sort_block(block);
    text += fmt::format("{}{}\n", text.empty() ? "" : "\n", block_title(first));
    std::string group;
    for (const Cell* cell : block) {
      const std::string line = format_row(*cell);
      const bool begins = group_title(cell->name) != group;
      if (begins) text += header(cell->name);
      group = group_title(cell->name);
      const bool best = begins && cell->figures.batches > 0;
      text += colour && best ? fmt::format("{}{}{}", kBold, line, kPlain) : line;
    }
    if (costs) text += format_costs(block);
  }
  return text;
}

}  // namespace wiremark::bench
