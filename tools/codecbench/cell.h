// The harness of lib/bench by names of its own: codecbench is rows, and what is said of them.
#pragma once

#include "bench/cell.h"

namespace wiremark::tools {

using namespace bench;

}  // namespace wiremark::tools
