// One rank of a load: its netload, and what it says to the others.
#pragma once

#include <string>
#include <vector>

#include "net/stop.h"
#include "netload-mpi/ranks.h"
#include "netload/load_options.h"

namespace wiremark::tools {

/// Runs the netload of this rank as its share of the load; rank 0 says when all begin, and gathers
/// and delivers what they did. Returns the exit code: at the ranks behind rank 0 it is kDone.
int run_job(Ranks& ranks, const LoadOptions& options, const std::vector<std::string>& arguments,
            const net::Stop& stop);

}  // namespace wiremark::tools
