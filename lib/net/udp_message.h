// What the kernel tells beside a datagram, for the backends: where it came from and went to.
#pragma once

#include <sys/socket.h>

#include <cstddef>

namespace wiremark::net {

/// Room for whatever a kernel delivers: IPv6 does not count its header, and carries 65,527.
inline constexpr std::size_t kDatagramRoom = 64 << 10;
/// Room for the address a datagram was sent to, as IP_PKTINFO (ip(7)) or IPV6_PKTINFO (ipv6(7)).
inline constexpr std::size_t kControlRoom = CMSG_SPACE(20);

/// Turns what the kernel told of a received datagram's destination into the source of its answer.
/// The interface is left to the route, but for link-local addresses, which mean nothing without it.
void make_source(msghdr& answer) noexcept;

}  // namespace wiremark::net
