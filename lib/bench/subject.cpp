// What is timed: a loop over one step of a codec, behind one virtual call per batch.
#include "bench/subject.h"

#include <fmt/format.h>

namespace wiremark::bench {

std::string describe(wire::DecodeError error) {
  return fmt::format("{} at byte {}", wire::to_string(error.kind), error.offset);
}

}  // namespace wiremark::bench
