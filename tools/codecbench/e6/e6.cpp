// E6: one value of many, beside what was published.
#include "codecbench/e6/e6.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/table.h"

namespace wiremark::tools {
namespace {

struct E6Figures {
  std::size_t pairs;
  double y3_ns;
};

constexpr E6Figures kE6Published[] = {{3, 610}, {16, 1667}, {32, 1361}, {63, 2077}};

constexpr std::string_view kE6Wrong =
    "\n"
    "Published: Y3 3.3 to 20.7 times faster than Go's encoding/json, CPU share 0.07\n"
    "against 0.73, parallel about 3 times serial.\n"
    "What the original got wrong: it compared a walk that stops at the key and checks\n"
    "nothing behind it with a parser that checks everything and builds a map of all\n"
    "values; rows above say which is which. 32 pairs were faster than 16, which no\n"
    "walk can be: one run, no spread. The one packet was taken from again and again\n"
    "(hot). A parser that takes one key without a map is the fair rival:\n"
    "json:simdjson-partial against y3:own-partial.\n";

/// The rows of each number of pairs beside each other, with hot or with cold caches.
std::string format_serial(const std::vector<Cell>& cells, std::string_view access) {
  std::string text = fmt::format("\n{:<40}", fmt::format("{}, pairs in the packet", access));
  for (const E6Figures& published : kE6Published) text += fmt::format("{:>8}", published.pairs);
  text += fmt::format("\n{:<40}", "published Y3 (Go)");
  for (const E6Figures& published : kE6Published) text += fmt::format("{:>8.0f}", published.y3_ns);
  text += "\n";
  for (const Cell& cell : cells) {
    if (cell.name.size != kE6Published[0].pairs || to_string(cell.name.access) != access) continue;
    text += fmt::format("{:<30}{:<10}", cell.name.row(),
                        cell.name.labels.validated ? "checked" : "unchecked");
    for (const E6Figures& published : kE6Published) {
      const auto key =
          fmt::format("take/pairs={}/{}/take/{}", published.pairs, cell.name.row(), access);
      text += fmt::format("{:>8}", bench::format_p50(cells, key));
    }
    text += "\n";
  }
  return text;
}

}  // namespace

void choose_e6(Selection& selection) {
  selection.workloads = {"take"};
  selection.ops = {"take"};
  selection.pairs = {3, 16, 32, 63};
}

std::string format_e6(const std::vector<Cell>& cells, const std::vector<Cell>& parallel) {
  std::string text = "E6: the value of the middle key, ns of one take, serial\n";
  text += format_serial(cells, "hot") + format_serial(cells, "cold");
  text +=
      "\nparallel, one thread per processor: millions of takes a second, serial ->\n"
      "parallel, 63 pairs, hot\n";
  for (const Cell& cell : cells) {
    if (cell.name.size != kE6Published[0].pairs || cell.name.access != Access::hot) continue;
    const std::string key = fmt::format("take/pairs=63/{}/take/hot", cell.name.row());
    const Cell* one = find_cell(cells, key);
    const Cell* all = find_cell(parallel, key);
    if (one == nullptr || all == nullptr) continue;
    text += fmt::format("{:<30}{:>8} -> {:>8}  {:.2f}x\n", cell.name.row(),
                        bench::format_figure(one->figures.qps / 1e6),
                        bench::format_figure(all->figures.qps / 1e6),
                        all->figures.qps / one->figures.qps);
  }
  return text + std::string(kE6Wrong);
}

std::vector<report::Published> published_e6(const std::vector<Cell>& cells) {
  std::vector<report::Published> rows;
  for (const E6Figures& published : kE6Published) {
    report::Published row{"ns to take the middle value with Y3",
                          fmt::format("{} pairs", published.pairs), published.y3_ns,
                          published.y3_ns};
    // As theirs: a walk to the key, which checks nothing behind it.
    const auto key = fmt::format("take/pairs={}/y3:own-partial/take/hot", published.pairs);
    if (const Cell* cell = find_cell(cells, key)) row.ours = cell->figures.ns_p50;
    rows.push_back(std::move(row));
  }
  // Over all numbers of pairs; which belongs to which was not told.
  report::Published faster{"times faster than JSON with a tree of all values", "Y3", 3.3, 20.7};
  for (const E6Figures& published : kE6Published) {
    const auto key = [&](std::string_view row) {
      return fmt::format("take/pairs={}/{}/take/hot", published.pairs, row);
    };
    const Cell* y3 = find_cell(cells, key("y3:own-partial"));
    const Cell* json = find_cell(cells, key("json:nlohmann"));
    if (y3 == nullptr || json == nullptr) continue;
    const double times = json->figures.ns_p50 / y3->figures.ns_p50;
    faster.ours_low = std::min(times, faster.ours_low.value_or(times));
    faster.ours_high = std::max(times, faster.ours_high.value_or(times));
    faster.ours = (*faster.ours_low + *faster.ours_high) / 2;
  }
  rows.push_back(std::move(faster));
  return rows;
}

}  // namespace wiremark::tools
