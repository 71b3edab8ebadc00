// One cell of codecbench's table: what was measured, and the figures.
#include "cell.h"

#include <fmt/format.h>

namespace wiremark::codecbench {

std::string CellName::key() const {
  std::string which;
  if (!shape.empty()) which = fmt::format("/{}={}", shape, size);
  return fmt::format("{}{}/{}:{}/{}/{}", workload, which, format, implementation, op,
                     to_string(access));
}

}  // namespace wiremark::codecbench
