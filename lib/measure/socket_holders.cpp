// Which processes have a socket open.
#include "measure/socket_holders.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "measure/process_tree.h"
#include "measure/server_end.h"

namespace wiremark::measure {

namespace {

// "socket:[31]", as proc_pid_fd(5) writes it.
std::optional<std::uint64_t> inode_in(std::string_view link) {
  constexpr std::string_view kBefore = "socket:[";
  if (!link.starts_with(kBefore)) return std::nullopt;
  std::uint64_t inode = 0;
  std::from_chars(link.data() + kBefore.size(), link.data() + link.size(), inode);
  return inode;
}

// What each descriptor of a process leads to. False where we may not see.
bool for_each_link(pid_t pid, const std::function<void(const char* fd, std::string_view)>& take) {
  const std::string path = fmt::format("/proc/{}/fd", pid);
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), &::closedir);
  if (!folder) return errno != EACCES && errno != EPERM;
  while (const dirent* const entry = ::readdir(folder.get())) {
    char link[64];  // All that are asked for fit.
    const ssize_t size = ::readlinkat(::dirfd(folder.get()), entry->d_name, link, sizeof link);
    if (size > 0) take(entry->d_name, {link, static_cast<std::size_t>(size)});
  }
  return true;
}

// What fdinfo says of a ring has a list: "UserFiles:" and how many, then "    0: socket:[31]" for
// each. An older kernel writes the protocol instead, and "<none>" for a place that is free.
void add_files_of_ring(const std::string& path, pid_t pid, const std::set<std::uint64_t>& inodes,
                       SocketHolders& holders) {
  std::ifstream file(path);
  std::string line;
  bool inside = false;
  while (std::getline(file, line)) {
    if (!line.starts_with(' ')) inside = line.starts_with("UserFiles:");
    const std::size_t colon = line.find(": ");
    if (!inside || !line.starts_with(' ') || colon == std::string::npos) continue;
    const std::string_view name = std::string_view(line).substr(colon + 2);
    const auto inode = inode_in(name);
    if (!inode && name != "<none>") ++holders.unnamed[pid];
    if (inode && inodes.contains(*inode)) holders.pids[*inode].insert(pid);
  }
}

}  // namespace

SocketHolders holders_of(const std::set<std::uint64_t>& inodes) {
  SocketHolders holders;
  ProcProcesses processes;
  const std::vector<pid_t> all = processes.list();
  // A generator has many, and what a link leads to takes ten times as long as fstat(2).
  for (const std::uint64_t inode : sockets_of_this_process())
    if (inodes.contains(inode)) holders.pids[inode].insert(::getpid());
  for (const pid_t pid : all) {
    if (pid == ::getpid()) continue;
    const bool seen = for_each_link(pid, [&](const char*, std::string_view link) {
      const auto inode = inode_in(link);
      if (inode && inodes.contains(*inode)) holders.pids[*inode].insert(pid);
    });
    holders.some_hidden |= !seen;
  }
  if (holders.pids.size() == inodes.size()) return holders;
  for (const pid_t pid : all) {
    for_each_link(pid, [&](const char* fd, std::string_view link) {
      if (link == "anon_inode:[io_uring]")
        add_files_of_ring(fmt::format("/proc/{}/fdinfo/{}", pid, fd), pid, inodes, holders);
    });
  }
  return holders;
}

}  // namespace wiremark::measure
