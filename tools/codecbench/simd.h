// Which of several builds of the same code this processor runs.
#pragma once

#include <string>

namespace wiremark::tools {

/// "simdjson haswell, y3 avx2": what the codecs chose at run time, by cpuid.
std::string simd_in_use();

}  // namespace wiremark::tools
