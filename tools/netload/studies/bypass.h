// What bypassing the kernel could save: times the same message over shorter and shorter ways.
#pragma once

#include <string>
#include <vector>

#include "netload/run.h"

namespace wiremark::tools {

/// Sends one message there and back over TCP with both ends asleep in between, over TCP spinning,
/// over a Unix socket spinning, and through memory that both ends share, round by round, and then
/// loads a server with options.connections. Where it may, it measures UDP through the kernel and
/// over AF_XDP too (udp_ways.h). Prints the cost of each way and what causes the
/// difference to the next, or the document of schemas/bypass.schema.json; returns the exit code.
/// Needs two processors: options.threads.cpus and options.server_cpus name one each.
int show_bypass(const LoadOptions& options, const std::vector<std::string>& arguments,
                const net::Stop& stop, Signals& signals);

}  // namespace wiremark::tools
