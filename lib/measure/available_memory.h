// How much memory this process can still have.
#pragma once

#include <cstdint>

namespace wiremark::measure {

/// In bytes: what the machine can give without swapping (MemAvailable of /proc/meminfo), or what
/// is left of memory.max in a cgroup of this process where that is less. 0: neither can be read.
std::uint64_t available_memory();

}  // namespace wiremark::measure
