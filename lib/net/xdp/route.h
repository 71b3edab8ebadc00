// The way that this machine's routes take to an address, as Ethernet needs it.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "base/result.h"
#include "net/address.h"

namespace wiremark::net::xdp {

using EthernetAddress = std::array<std::byte, 6>;

struct Route {
  unsigned interface = 0;  ///< Its index.
  std::string name;        ///< And its name.
  EthernetAddress own{};
  EthernetAddress next{};  ///< Of the target, or of the router in front of it.
};

/// Asks the kernel for the route from `from` to `to` (rtnetlink(7)) and for the neighbour behind
/// it, which the kernel resolves first where it is not known: that waits for up to kResolve.
/// Errors: it leads to this machine itself, over what is no Ethernet, or to a neighbour that does
/// not answer; each names the fix.
Result<Route> route_to(const Address& to, const Address& from);

/// In milliseconds. A neighbour answers in less than one; the kernel asks again after a second.
inline constexpr int kResolve = 800;

}  // namespace wiremark::net::xdp
