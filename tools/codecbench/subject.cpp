// What is timed: a loop over one step of a codec, behind one virtual call per batch.
#include "codecbench/subject.h"

#include <fmt/format.h>

namespace wiremark::tools {

std::string describe(wire::DecodeError error) {
  return fmt::format("{} at byte {}", wire::to_string(error.kind), error.offset);
}

}  // namespace wiremark::tools
