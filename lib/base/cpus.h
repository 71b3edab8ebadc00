// Lists of processors as the user writes them, and threads pinned to them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace wiremark {

/// Parses "0,2-3" into {0, 2, 3}, in the order written. Errors: not a list, or a number over 1,023
/// (CPU_SETSIZE of sched_setaffinity(2)).
Result<std::vector<int>> parse_cpus(std::string_view list);

/// {0, 2, 3} as "0,2-3".
std::string format_cpus(const std::vector<int>& cpus);

/// The processors this process may run on, ascending (sched_getaffinity(2)).
std::vector<int> allowed_cpus();

/// The most threads a tool takes where it may use so many processors: 64, or 4 for each. Only as
/// many run as there are processors. Some more show how they wait for one another; thousands would
/// take the machine's memory, and minutes to start and to end.
constexpr std::size_t threads_max(std::size_t processors) noexcept {
  return std::max<std::size_t>(64, 4 * processors);
}

/// Keeps the calling thread on one processor (sched_setaffinity(2)).
Result<> pin_this_thread(int cpu);

}  // namespace wiremark
