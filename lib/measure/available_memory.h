// How much memory this process can still have.
#pragma once

#include <cstdint>
#include <string>

namespace wiremark::measure {

/// In bytes: what the machine can give without swapping (MemAvailable of /proc/meminfo), or what
/// is left of memory.max in a cgroup of this process where that is less. Cached files count as
/// left: the kernel gives them up first. 0: neither can be read.
std::uint64_t available_memory(const std::string& proc = "/proc");

}  // namespace wiremark::measure
