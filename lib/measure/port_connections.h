// Who listens on a port of this machine, who is connected to it, how much each connection has
// carried, and which of them the server has yet to accept or to close.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "measure/server_end.h"

namespace wiremark::measure {

/// An address of IPv6, or one of IPv4 as IPv6 writes it (::ffff:a.b.c.d). Of both, that which
/// stands for all addresses is zero.
using Host = std::array<std::uint8_t, 16>;

bool is_of_ipv4(const Host& host);

/// Where a socket of TCP or UDP is, or another to which it is connected.
struct HostPort {
  Host host{};
  std::uint16_t port = 0;

  auto operator<=>(const HostPort&) const = default;
};

/// Those that connections of TCP to `at` come to, in this network namespace: several where they
/// share the port. None where sock_diag(7) does not tell.
std::optional<std::vector<Listener>> listeners_at(const HostPort& at);

/// The server's ends of all connections of TCP to it in this network namespace that neither end is
/// known to have closed. None where sock_diag(7) does not tell. A server that listens on all
/// addresses has those to any of them. Ours are those of this process.
std::optional<std::vector<ServerEnd>> connections_at(const HostPort& at);

/// The same for the sockets of UDP that are connected to `at`. Most servers have one socket for all
/// of them and so no end of their own: that has inode 0. What they carry is not counted.
std::optional<std::vector<ServerEnd>> datagram_clients_of(const HostPort& at);

/// The datagrams of UDP that the processes of this network namespace have received, as they took
/// them: several that came as one (UDP_GRO, udp(7)) count once. None where /proc does not tell.
std::optional<std::uint64_t> datagrams_received();

/// What a server has still to do about connections that its clients have opened or closed.
struct UnfinishedConnections {
  std::size_t unaccepted = 0;
  std::size_t unclosed = 0;  ///< The client has closed its end, and the server has not.
};

/// Of the same server. None where sock_diag(7) does not tell.
std::optional<UnfinishedConnections> unfinished_at(const HostPort& at);

}  // namespace wiremark::measure
