// E2: messages packed and unpacked, beside what was published.
#include "codecbench/e2/e2.h"

#include <fmt/format.h>

#include "codecbench/table.h"

namespace wiremark::tools {
namespace {

std::string ms_of(const std::vector<Cell>& cells, const std::string& key, double turns) {
  const Cell* cell = find_cell(cells, key);
  return cell == nullptr ? "-" : format_figure(cell->figures.ns_p50 * turns / 1e6);
}

constexpr std::string_view kE2Wrong =
    "\nPublished: byte stream before protobuf before JSON, \"several times to an order of\n"
    "magnitude\" apart; no figures.\n"
    "What the original got wrong: its byte stream unpacked from the wrong buffer and copied no\n"
    "content; nothing kept the compiler from dropping the work; time was taken from tv_usec "
    "alone,\n"
    "which wraps every second; one message was packed again and again, so caches and branch\n"
    "predictor knew it by heart (compare the columns hot and cold).\n";

}  // namespace

void choose_e2(Selection& selection) {
  selection.workloads = {"packet"};
  selection.ops = {"roundtrip"};
}

std::string format_e2(const std::vector<Cell>& cells) {
  constexpr double kTurns = 10'000;
  std::string text = fmt::format("E2: 10,000 x (pack, unpack), ms\n\n{:<26} {:>8} {:>8} {:>14}\n",
                                 "row", "hot", "cold", "bytes:own = 1");
  const Cell* floor = find_cell(cells, "packet/bytes:own/roundtrip/hot");
  for (const Cell& cell : cells) {
    if (cell.name.access != Access::hot || cell.name.op != "roundtrip") continue;
    const std::string key = fmt::format("packet/{}/roundtrip/", cell.name.row());
    text += fmt::format(
        "{:<26} {:>8} {:>8} {:>14}\n", cell.name.row(), ms_of(cells, key + "hot", kTurns),
        ms_of(cells, key + "cold", kTurns),
        floor == nullptr ? "-" : format_figure(cell.figures.ns_p50 / floor->figures.ns_p50));
  }
  return text + std::string(kE2Wrong);
}

}  // namespace wiremark::tools
