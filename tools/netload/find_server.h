// The processes behind an address of this machine.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "measure/port_connections.h"
#include "net/address.h"
#include "netload/target.h"

namespace wiremark::tools {

/// An address with all processes that hold a socket which takes what is sent there: several may
/// share one port (SO_REUSEPORT) or one socket that they inherited. It looks through /proc, and
/// sees the processes of other users only as root.
Target find_server(const net::Address& address);

/// Whether an interface of this network namespace has that address.
bool is_of_this_machine(const net::Address& address);

/// The sockets that take what is sent there; empty where none is seen.
std::vector<measure::Listener> listeners_of(const net::Address& address);

/// An address with the process that was named for it. Errors: the socket there is seen with others,
/// none of which is `pid` or was started by it.
Result<Target> named_server(const net::Address& address, pid_t pid);

/// Why nobody is seen to hold a socket; `some_hidden` of measure::SocketHolders.
std::string why_hidden(const measure::Listener& socket, bool some_hidden);

/// Whether it is systemd, which holds the sockets of services that it starts when somebody comes:
/// what they spend is theirs, and its descendants are the whole machine.
bool is_systemd(pid_t pid);

/// That of an address of IPv4 or IPv6.
measure::Host host_of(const net::Address& address);

}  // namespace wiremark::tools
