// What the kernel tells of the sockets of a server.
#pragma once

#include <cstdint>
#include <optional>
#include <set>

namespace wiremark::measure {

/// A socket that takes what comes to an address.
struct Listener {
  std::uint64_t inode = 0;
  std::optional<std::uint32_t> user;  ///< Who made it, where that is told.
};

/// Whose the client's end of a connection is.
enum class Client : std::uint8_t {
  ours,
  other,
  gone  ///< Closed: the kernel does not tell whose it was.
};

/// The server's end of an open connection.
struct ServerEnd {
  std::uint64_t cookie = 0;  ///< The kernel's number of it.
  Listener socket{};         ///< Its inode is 0 until the server has accepted it.
  Client client = Client::other;
  std::optional<std::uint64_t> segments;  ///< With data, both ways; over TCP.
};

/// The inodes of the sockets that this process has open.
std::set<std::uint64_t> sockets_of_this_process();

}  // namespace wiremark::measure
