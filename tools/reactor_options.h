// Flags of the reactor and its sockets, the same for every tool that runs loops.
#pragma once

#include "net/reactor.h"
#include "net/socket.h"
#include "options.h"

namespace wiremark::tools {

struct BackendOptions {
  net::Backend backend = net::Backend::automatic;
  net::ReactorOptions reactor;
  net::SocketOptions socket;
  bool realtime = false;  ///< The threads of the loops run before all ordinary ones.
};

void add(CommandLine& line, BackendOptions& options);

/// The backend to use, after saying on standard error when `auto` fell back. Errors: the one asked
/// for cannot run; the message names the fix.
Result<net::Backend> usable_backend(const std::string& tool, const BackendOptions& options,
                                    bool quiet);

}  // namespace wiremark::tools
