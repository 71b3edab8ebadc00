// Which of several builds of the same code this processor runs.
#include "codecbench/simd.h"

#include <fmt/format.h>

#include "wire/json/simdjson_reader.h"
#include "wire/y3/walk.h"

namespace wiremark::tools {

std::string simd_in_use() {
  constexpr wire::Limits kSmall{.frame_size = 4096};  // The reader is only asked for its name.
  return fmt::format("simdjson {}, y3 {}", wire::make_simdjson_reader(kSmall)->kernel(),
                     wire::y3::fastest_walk().name);
}

}  // namespace wiremark::tools
