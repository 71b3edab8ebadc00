// The processes behind an address of this machine.
#pragma once

#include "measure/port_connections.h"
#include "net/address.h"
#include "netload/target.h"

namespace wiremark::tools {

/// An address with all processes that hold a socket which takes what is sent there: several may
/// share one port (SO_REUSEPORT) or one socket that they inherited. It looks through /proc, and
/// sees the processes of other users only as root.
Target find_server(const net::Address& address);

/// That of an address of IPv4 or IPv6.
measure::Host host_of(const net::Address& address);

}  // namespace wiremark::tools
