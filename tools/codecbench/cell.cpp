// One cell of codecbench's table: what was measured, and the figures.
#include "codecbench/cell.h"

#include <fmt/format.h>

namespace wiremark::tools {

std::string CellName::key() const {
  std::string which;
  if (!shape.empty()) which = fmt::format("/{}={}", shape, size);
  return fmt::format("{}{}/{}:{}/{}/{}", workload, which, format, implementation, op,
                     to_string(access));
}

}  // namespace wiremark::tools
