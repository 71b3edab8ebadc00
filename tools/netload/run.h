// One run of a load against one target: from the first connection to the result.
#pragma once

#include <string>
#include <vector>

#include "netload/load_options.h"
#include "netload/target.h"
#include "report/result.h"
#include "signals.h"

namespace wiremark::tools {

/// Opens the connections, runs the load and closes them again. Ends early when `stop` is requested;
/// the result is then marked as interrupted. Errors: a backend that cannot run, a socket that
/// cannot be had, fewer connections than asked for. The interval log that options.latency asks for
/// is left in `hdr_log`.
Result<report::RunResult> run_load(const LoadOptions& options, net::Backend backend,
                                   const Target& target, const std::vector<std::string>& arguments,
                                   const net::Stop& stop, Signals& signals,
                                   std::string* hdr_log = nullptr);

/// The exit code that `result` earns.
ExitCode exit_code(const report::RunResult& result, const LoadOptions& options);

}  // namespace wiremark::tools
