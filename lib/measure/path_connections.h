// Who listens on a Unix path of this machine, and who is connected to it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measure/server_end.h"

namespace wiremark::measure {

/// Those that connections to `path` come to, by the file that it is: another socket may have had
/// the same path, or be bound to it in another folder. Empty also where the file system has numbers
/// for it that differ from those of stat(2), as overlayfs and btrfs may, and where the socket is of
/// another network namespace. None where sock_diag(7) does not tell.
std::optional<std::vector<Listener>> listeners_at(const std::string& path);

/// The server's ends of all connections to it that the server has not closed. Those of other
/// clients only where listeners_at() finds the path. Ours are those of all sockets of this process
/// that are not among `earlier`: of these the kernel tells the peer wherever that is, but not its
/// path.
std::optional<std::vector<ServerEnd>> connections_at(const std::string& path,
                                                     const std::set<std::uint64_t>& earlier);

}  // namespace wiremark::measure
