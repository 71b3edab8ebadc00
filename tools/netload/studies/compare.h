// Compares backends: the same load on each in turn, round by round, as one table.
#pragma once

#include "netload/run.h"

namespace wiremark::tools {

/// Starts a netecho for each of options.compare, runs the load on them in turn for options.rounds
/// rounds, and prints the table, or JSON when asked. Returns the exit code; errors are printed.
int compare(const LoadOptions& options, const std::vector<std::string>& arguments,
            const net::Stop& stop, Signals& signals);

}  // namespace wiremark::tools
