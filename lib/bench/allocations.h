// How often this thread has asked for memory, counted by functions in place of the allocator's.
#pragma once

#include <cstdint>
#include <optional>

namespace wiremark::bench {

/// Calls to malloc, calloc, realloc and their aligned relatives by the calling thread so far;
/// operator new and C libraries such as jansson end there too. Absent where the program cannot
/// stand in for the allocator: under a sanitizer, or with a C library other than glibc.
std::optional<std::uint64_t> allocations_of_this_thread() noexcept;

}  // namespace wiremark::bench
