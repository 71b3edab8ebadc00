// E2: messages packed and unpacked, beside what was published.
#include "codecbench/e2/e2.h"

#include <fmt/format.h>

#include "bench/table.h"

namespace wiremark::tools {
namespace {

std::string ms_of(const std::vector<Cell>& cells, const CellName& name, double turns) {
  const Cell* cell = find_cell(cells, name.key());
  return cell == nullptr ? "-" : bench::format_figure(cell->figures.ns_p50 * turns / 1e6);
}

constexpr std::string_view kE2Wrong =
    "\n"
    "Published: byte stream before protobuf before JSON, \"several times to an order\n"
    "of magnitude\" apart; no figures.\n"
    "What the original got wrong: its byte stream unpacked from the wrong buffer and\n"
    "copied no content; nothing kept the compiler from dropping the work; time was\n"
    "taken from tv_usec alone, which wraps every second; one message was packed again\n"
    "and again, so caches and branch predictor knew it by heart (compare the columns\n"
    "hot and cold: cold rows draw the numbers of each message anew).\n";

}  // namespace

void choose_e2(Selection& selection) {
  selection.workloads = {"packet"};
  if (selection.packets.size() > 1) selection.packets.resize(1);
  selection.ops = {"roundtrip"};
}

std::string format_e2(const std::vector<Cell>& cells) {
  constexpr double kTurns = 10'000;
  std::string text = fmt::format("E2: 10,000 x (pack, unpack), ms\n\n{:<26} {:>8} {:>8} {:>14}\n",
                                 "row", "hot", "cold", "bytes:own = 1");
  for (const Cell& cell : cells) {
    if (cell.name.access != Access::hot || cell.name.op != "roundtrip") continue;
    CellName cold = cell.name;
    cold.access = Access::cold;
    CellName floor_name = cell.name;
    floor_name.format = "bytes";
    floor_name.implementation = "own";
    const Cell* floor = find_cell(cells, floor_name.key());
    text += fmt::format(
        "{:<26} {:>8} {:>8} {:>14}\n", cell.name.row(), ms_of(cells, cell.name, kTurns),
        ms_of(cells, cold, kTurns),
        floor == nullptr ? "-" : bench::format_figure(cell.figures.ns_p50 / floor->figures.ns_p50));
  }
  return text + std::string(kE2Wrong);
}

}  // namespace wiremark::tools
