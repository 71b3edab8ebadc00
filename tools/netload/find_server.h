// The processes behind an address of this machine.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "net/address.h"
#include "netload/target.h"

namespace wiremark::tools {

/// All processes that hold a socket which takes what is sent to an address: several may share one
/// port (SO_REUSEPORT) or one socket that they inherited.
struct FoundServer {
  std::vector<pid_t> pids;
  std::string unknown;  ///< Why there are none, or not all of them can be seen.
};

/// Looks through /proc. It sees the processes of other users only as root.
FoundServer find_server(const net::Address& address);

/// An address with the server that was found behind it.
Target found_at(const net::Address& address);

}  // namespace wiremark::tools
