// The threads of netecho, from the first listener to the last answer.
#pragma once

#include "base/result.h"
#include "net/stop.h"
#include "netecho/run.h"
#include "signals.h"

namespace wiremark::tools {

/// Listens and answers until the stop or the end of the duration; `run` then has what was counted.
/// Errors: a backend that cannot run, an address that cannot be had, a file that cannot be written.
Result<> serve(const EchoOptions& options, net::Stop& stop, Signals& signals, EchoRun& run);

}  // namespace wiremark::tools
