// One cell of codecbench's table: what was measured, and the figures.
#include "measure/cell.h"

#include <fmt/core.h>

#include <algorithm>

namespace wiremark::measure {

std::string CellName::key() const {
  std::string which;
  if (!shape.empty()) which = "/" + shape;
  if (size > 0) which += fmt::format("={}", size);
  return fmt::format("{}{}/{}:{}/{}/{}", workload, which, format, implementation, op,
                     to_string(access));
}

const Cell* find_cell(const std::vector<Cell>& cells, std::string_view key) {
  const auto found =
      std::ranges::find_if(cells, [key](const Cell& cell) { return cell.name.key() == key; });
  return found == cells.end() || found->figures.batches == 0 ? nullptr : &*found;
}

}  // namespace wiremark::measure
