// Which processes have a socket open.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace wiremark::measure {

/// Who holds sockets, by their inodes. One that nobody is known to hold is missing.
struct SocketHolders {
  std::map<std::uint64_t, std::set<pid_t>> pids;
  bool some_hidden = false;  ///< There are processes whose descriptors we may not see.
  /// Files in the rings of a process of which an older kernel does not tell what they are. Only
  /// where a socket is missing.
  std::map<pid_t, std::size_t> unnamed;
};

/// Looks through /proc at the descriptors of all processes, and where a socket is not among them at
/// what their rings hold beside (io_uring_register_files(3)). It sees the processes of other users
/// only as root.
SocketHolders holders_of(const std::set<std::uint64_t>& inodes);

}  // namespace wiremark::measure
