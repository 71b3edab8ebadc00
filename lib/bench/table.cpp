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

bool has_counters(const std::vector<Cell>& cells) {
  return std::any_of(cells.begin(), cells.end(),
                     [](const Cell& cell) { return cell.figures.instructions.has_value(); });
}

/// Of an encoder only the object is told: it owns what it makes and has nothing to validate.
std::string format_labels(const CellName& name) {
  const Labels& labels = name.labels;
  if (name.op == "encode") return std::string(labels.object == "none" ? "" : labels.object);
  std::string text = labels.result;
  text += fmt::format("{}{}", text.empty() ? "" : " ", labels.validated ? "checked" : "unchecked");
  if (labels.object != "none") text += fmt::format(" {}", labels.object);
  return text;
}

std::string header(bool counters) {
  return fmt::format("{:<28} {:<9} {:>7} {:>7} {:>6} {:>7} {:>7} {:>7} {:>6} {:>6} {:>11}{}  {}\n",
                     "row", "op", "min ns", "p50 ns", "spread", "p99 ns", "M/s", "MB/s", "wire B",
                     "allocs", "cpu us+sy",
                     counters ? fmt::format(" {:>6} {:>6}", "instr", "cycles") : "", "labels");
}

std::string format_count(const std::optional<double>& count) {
  if (!count) return "n/a";
  return *count == 0 ? "0" : format_figure(*count);
}

std::string format_row(const Cell& cell, bool counters) {
  const CellFigures& figures = cell.figures;
  std::string text = fmt::format("{:<28} {:<9}", cell.name.row(), cell.name.op);
  if (cell.refused) return text + "  refused: " + *cell.refused + "\n";
  if (figures.batches == 0) return text + "  not measured\n";
  text += fmt::format(
      " {:>7} {:>7} {:>5.1f}% {:>7} {:>7} {:>7} {:>6.0f} {:>6} {:>11}",
      format_figure(figures.ns_min), format_figure(figures.ns_p50), figures.spread_pct,
      format_figure(figures.ns_p99), format_figure(figures.qps / 1e6),
      format_figure(figures.mb_per_s), figures.wire_bytes, format_count(figures.allocations),
      fmt::format("{}+{}", format_figure(figures.cpu_user_ns), format_count(figures.cpu_sys_ns)));
  if (counters) {
    text += fmt::format(" {:>6} {:>6}", format_count(figures.instructions),
                        format_count(figures.cycles));
  }
  if (const std::string labels = format_labels(cell.name); !labels.empty()) text += "  " + labels;
  return text + "\n";
}

/// Ops in their first order, the fastest row of each first; rows without figures last.
void sort_block(std::vector<const Cell*>& block) {
  std::vector<std::string_view> ops;
  for (const Cell* cell : block) {
    if (std::find(ops.begin(), ops.end(), cell->name.op) == ops.end()) ops.push_back(cell->name.op);
  }
  const auto rank = [&ops](const Cell* cell) {
    const auto op = std::find(ops.begin(), ops.end(), cell->name.op) - ops.begin();
    return std::tuple(op, cell->figures.batches == 0, cell->figures.ns_p50, cell);
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

std::string format_table(const std::vector<Cell>& cells, bool colour) {
  const bool counters = has_counters(cells);
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
    text += fmt::format("{}{}\n{}", text.empty() ? "" : "\n", block_title(first), header(counters));
    std::string_view op;
    for (const Cell* cell : block) {
      const std::string line = format_row(*cell, counters);
      const bool best = cell->name.op != op && cell->figures.batches > 0;
      op = cell->name.op;
      text += colour && best ? fmt::format("{}{}{}", kBold, line, kPlain) : line;
    }
  }
  return text;
}

}  // namespace wiremark::bench
