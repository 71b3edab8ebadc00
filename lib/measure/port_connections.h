// Who listens on a TCP port of this machine, who is connected to it, how much each connection has
// carried, and which of them the server has yet to accept or to close.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace wiremark::measure {

/// An address of IPv6, or one of IPv4 as IPv6 writes it (::ffff:a.b.c.d). Of both, that which
/// stands for all addresses is zero.
using Host = std::array<std::uint8_t, 16>;

bool is_of_ipv4(const Host& host);

/// Where a TCP server listens.
struct TcpPort {
  Host host{};
  std::uint16_t port = 0;
};

/// A socket that takes what comes to a port.
struct Listener {
  std::uint64_t inode = 0;
  std::optional<std::uint32_t> user;  ///< Who made it, where that is told.
};

/// Those that connections to `at` come to, in this network namespace: several where they share the
/// port. None where sock_diag(7) does not tell.
std::optional<std::vector<Listener>> listeners_at(const TcpPort& at);

/// Segments with data, both ways, of each established connection, by the kernel's number of it.
using PortConnections = std::map<std::uint64_t, std::uint64_t>;

/// The server's ends of all connections to it in this network namespace, as sock_diag(7) tells.
/// None where it does not. A server that listens on all addresses has those to any of them.
std::optional<PortConnections> connections_at(const TcpPort& at);

/// What a server has still to do about connections that its clients have opened or closed.
struct UnfinishedConnections {
  std::size_t unaccepted = 0;
  std::size_t unclosed = 0;  ///< The client has closed its end, and the server has not.
};

/// Of the same server. None where sock_diag(7) does not tell.
std::optional<UnfinishedConnections> unfinished_at(const TcpPort& at);

}  // namespace wiremark::measure
