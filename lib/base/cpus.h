// Lists of processors as the user writes them, and threads pinned to them.
#pragma once

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

/// Keeps the calling thread on one processor (sched_setaffinity(2)).
Result<> pin_this_thread(int cpu);

}  // namespace wiremark
