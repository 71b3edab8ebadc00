// Real-time priority for the threads that run loops.
#pragma once

#include <string>

#include "base/result.h"

namespace wiremark::tools {

/// From here on the calling thread runs before all ordinary threads (SCHED_FIFO, sched(7)); threads
/// that it starts are ordinary ones. Errors: the process may not; the message names the fix.
Result<> become_realtime();

/// What that did, in words for a result, with the share of time that the kernel keeps for others.
std::string realtime_note();

}  // namespace wiremark::tools
