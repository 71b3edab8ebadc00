// UDP through the kernel and past it, for netload --bypass: on veth, with a server for each run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "netload/run.h"
#include "report/study.h"

namespace wiremark::tools {

/// What was measured, or why nothing was.
struct UdpWays {
  std::vector<report::Way> ways = {};
  std::string not_tried = {};
  std::optional<report::FailedRound> failed = {};  ///< It was the last, and not of the first round.
};

/// Runs each of report::kUdpWays in turn, options.rounds times, between two namespaces that it
/// makes. What the machine does not allow, as the first round shows, is told and no error.
UdpWays measure_udp_ways(const LoadOptions& options, net::Backend kernel,
                         const std::vector<std::string>& arguments, const net::Stop& stop,
                         Signals& signals);

}  // namespace wiremark::tools
