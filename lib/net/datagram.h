// What a datagram is to a reactor and its handler, and how its answer goes where it came from.
#pragma once

#include <sys/socket.h>

#include <concepts>
#include <cstddef>
#include <optional>

#include "net/handler.h"

namespace wiremark::net {

/// The longest payload over IPv4: 65,535 bytes less 20 of IP and 8 of UDP (RFC 768, RFC 791).
inline constexpr std::size_t kDatagramMax = 65'507;
/// Room for whatever a kernel delivers: IPv6 does not count its header, and carries 65,527.
inline constexpr std::size_t kDatagramRoom = 64 << 10;
/// Room for the address a datagram was sent to, as IP_PKTINFO (ip(7)) or IPV6_PKTINFO (ipv6(7)).
inline constexpr std::size_t kControlRoom = CMSG_SPACE(20);

/// A handler that answers datagrams of anybody who sends one. It has no connections for them.
///
///   on_datagram(bytes)  returns the answer, which goes back to the sender, or nothing. The bytes
///                       die when it returns; the answer, which may lie in them, with the next
///                       call
template <class H>
concept DatagramHandler = Handler<H> && requires(H handler, Bytes bytes) {
  { handler.on_datagram(bytes) } -> std::same_as<std::optional<Bytes>>;
};

/// A handler with connections over UDP: each on_data is one datagram, also an empty one.
///
///   on_datagram_error(conn, errno)  a datagram could not be sent, or the network has said that an
///                                   earlier one did not arrive (ECONNREFUSED: nobody listens
///                                   there). The connection stays
template <class H>
concept DatagramClient = Handler<H> && requires(H handler, Conn& conn, int error) {
  { handler.on_datagram_error(conn, error) } -> std::same_as<void>;
};

/// Turns what the kernel told of a received datagram's destination into the source of its answer.
/// The interface is left to the route, but for link-local addresses, which mean nothing without it.
void make_source(msghdr& answer) noexcept;

}  // namespace wiremark::net
