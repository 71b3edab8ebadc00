// Who listens on a Unix path of this machine, and who is connected to it.
#include "measure/path_connections.h"

#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "measure/sock_diag.h"

namespace wiremark::measure {

namespace {

/// As the kernel numbers it.
struct File {
  std::uint32_t device = 0, inode = 0;

  bool operator==(const File&) const = default;
};

std::optional<File> file_at(const std::string& path) {
  struct stat file{};
  if (::stat(path.c_str(), &file) != 0) return std::nullopt;
  constexpr unsigned kMinorBits = 20;  // Inside the kernel (linux/kdev_t.h).
  return File{::major(file.st_dev) << kMinorBits | ::minor(file.st_dev),
              static_cast<std::uint32_t>(file.st_ino)};
}

/// One socket of the answer.
struct PathSocket {
  Listener socket{};
  std::uint64_t cookie = 0;
  std::optional<File> file;           ///< It is bound to, or that which accepted it.
  std::optional<std::uint64_t> peer;  ///< Its inode, 0 where nobody has that open.
};

PathSocket path_socket_in(const nlmsghdr& message) {
  const auto& socket = *static_cast<const unix_diag_msg*>(NLMSG_DATA(&message));
  const auto& cookie = socket.udiag_cookie;
  PathSocket found{.socket = {socket.udiag_ino, std::nullopt},
                   .cookie = std::uint64_t{cookie[1]} << 32 | cookie[0],
                   .file = std::nullopt,
                   .peer = std::nullopt};
  for_each_attribute(message, sizeof socket, [&](const rtattr& one) {
    std::uint32_t value = 0;
    unix_diag_vfs file{};
    const auto read = [&](auto& into) {
      if (RTA_PAYLOAD(&one) < sizeof into) return false;
      std::memcpy(&into, RTA_DATA(&one), sizeof into);
      return true;
    };
    if (one.rta_type == UNIX_DIAG_PEER && read(value)) found.peer = value;
    if (one.rta_type == UNIX_DIAG_UID && read(value)) found.socket.user = value;
    if (one.rta_type == UNIX_DIAG_VFS && read(file))
      found.file = {file.udiag_vfs_dev, file.udiag_vfs_ino};
  });
  return found;
}

std::optional<std::vector<PathSocket>> path_sockets_in(std::uint32_t state, std::uint32_t show) {
  const unix_diag_req request{.sdiag_family = AF_UNIX,
                              .sdiag_protocol = 0,
                              .pad = 0,
                              .udiag_states = among(state),
                              .udiag_ino = 0,
                              .udiag_show = show | UDIAG_SHOW_VFS | UDIAG_SHOW_UID,
                              .udiag_cookie = {}};
  std::vector<PathSocket> sockets;
  const auto take = [&](const nlmsghdr& one) { sockets.push_back(path_socket_in(one)); };
  if (!list_sockets(SOCK_DIAG_BY_FAMILY, std::as_bytes(std::span(&request, 1)), take))
    return std::nullopt;
  return sockets;
}

}  // namespace

std::optional<std::vector<Listener>> listeners_at(const std::string& path) {
  const auto sockets = path_sockets_in(kListening, 0);
  if (!sockets) return std::nullopt;
  std::vector<Listener> listeners;
  const auto file = file_at(path);
  for (const PathSocket& one : *sockets)
    if (file && one.file == file) listeners.push_back(one.socket);
  return listeners;
}

std::optional<std::vector<ServerEnd>> connections_at(const std::string& path,
                                                     const std::set<std::uint64_t>& earlier) {
  const auto sockets = path_sockets_in(kEstablished, UDIAG_SHOW_PEER);
  if (!sockets) return std::nullopt;
  const std::set<std::uint64_t> own = sockets_of_this_process();
  const auto file = file_at(path);
  std::vector<ServerEnd> ends;
  for (const PathSocket& one : *sockets) {
    if (!one.peer) continue;
    const bool new_here = own.contains(one.socket.inode) && !earlier.contains(one.socket.inode);
    if (new_here && !one.file)
      ends.push_back({one.cookie, {*one.peer, std::nullopt}, Client::ours, std::nullopt});
    else if (file && one.file == file && !own.contains(*one.peer))
      ends.push_back(
          {one.cookie, one.socket, *one.peer == 0 ? Client::gone : Client::other, std::nullopt});
  }
  return ends;
}

}  // namespace wiremark::measure
