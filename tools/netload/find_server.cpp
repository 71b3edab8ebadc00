// The processes behind an address of this machine.
#include "netload/find_server.h"

#include <fmt/format.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>

#include "base/fd.h"
#include "measure/path_connections.h"
#include "measure/port_connections.h"
#include "measure/process_tree.h"
#include "measure/socket_holders.h"

namespace wiremark::tools {

namespace fs = std::filesystem;
using measure::Listener;

namespace {

constexpr const char* kNameIt = "name it with --server-pid";

// As the tables of /proc/net write an address: each 32 bits as a number of this machine.
std::string words_of(std::span<const std::uint32_t> words) {
  std::string text;
  for (const std::uint32_t word : words) text += fmt::format("{:08X}", word);
  return text;
}

/// A local address in the tables for IPv4 and IPv6, the special one before that of all addresses.
struct Wanted {
  const char* table;
  std::string host;
};

std::vector<Wanted> wanted_of(const net::Address& address) {
  const bool udp = address.is_udp();
  const char* const four = udp ? "udp" : "tcp";
  const char* const six = udp ? "udp6" : "tcp6";
  const std::string any_four(8, '0'), any_six(32, '0');
  std::uint32_t words[4] = {};
  const measure::Host host = host_of(address);
  std::memcpy(words, host.data(), host.size());
  if (!measure::is_of_ipv4(host)) return {{six, words_of(words)}, {six, any_six}};
  return {{four, words_of(std::span(words).last(1))},
          {six, words_of(words)},
          {four, any_four},
          {six, any_six}};
}

// Those of a table such as /proc/net/tcp (proc_net(5)). One of UDP is in the state that a closed
// one of TCP has.
std::vector<Listener> listeners_in(const Wanted& wanted, std::uint16_t port) {
  const std::string_view state_wanted =
      std::string_view(wanted.table).starts_with("udp") ? "07" : "0A";
  const std::string local_wanted = fmt::format("{}:{:04X}", wanted.host, port);
  std::vector<Listener> listeners;
  std::ifstream file(std::string("/proc/net/") + wanted.table);
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string slot, local, remote, state, queues, timer, retransmits, timeout;
    uid_t user = 0;
    std::uint64_t inode = 0;
    fields >> slot >> local >> remote >> state >> queues >> timer >> retransmits >> user >>
        timeout >> inode;
    if (state == state_wanted && local == local_wanted && inode != 0)
      listeners.push_back({inode, user});
  }
  return listeners;
}

// Which process began to listen on a path.
std::optional<pid_t> peer_of(const net::Address& address) {
  const Fd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ucred peer{};
  socklen_t size = sizeof peer;
  if (!probe || ::connect(probe.get(), address.data(), address.size()) != 0) return std::nullopt;
  if (::getsockopt(probe.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  return peer.pid > 0 ? std::optional(peer.pid) : std::nullopt;
}

void leave_out_systemd(Target& found) {
  const std::size_t all = found.pids.size();
  std::erase_if(found.pids, is_systemd);
  if (all > 0 && found.pids.empty())
    found.unknown = fmt::format("systemd holds its socket and starts it on demand; {}", kNameIt);
}

}  // namespace

bool is_of_this_machine(const net::Address& address) {
  if (address.is_loopback() || address.is_any()) return true;
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return false;
  bool found = false;
  for (const ifaddrs* one = all; one && !found; one = one->ifa_next) {
    if (!one->ifa_addr || one->ifa_addr->sa_family != address.family()) continue;
    const auto same = [&]<class Socket, class Host>(const Socket*, Host Socket::* host) {
      return std::memcmp(&(reinterpret_cast<const Socket*>(one->ifa_addr)->*host),
                         &(reinterpret_cast<const Socket*>(address.data())->*host),
                         sizeof(Host)) == 0;
    };
    found = address.family() == AF_INET
                ? same(static_cast<sockaddr_in*>(nullptr), &sockaddr_in::sin_addr)
                : same(static_cast<sockaddr_in6*>(nullptr), &sockaddr_in6::sin6_addr);
  }
  ::freeifaddrs(all);
  return found;
}

measure::Host host_of(const net::Address& address) {
  measure::Host host{};
  if (address.family() == AF_INET6) {
    const auto& six = reinterpret_cast<const sockaddr_in6*>(address.data())->sin6_addr;
    std::memcpy(host.data(), &six, sizeof six);
  } else {
    const auto& four = reinterpret_cast<const sockaddr_in*>(address.data())->sin_addr;
    host[10] = host[11] = 0xff;
    std::memcpy(host.data() + 12, &four, sizeof four);
  }
  return host;
}

// A kernel may be built without sock_diag(7), and containers may lack it. Where it is there it
// tells of TCP in the hundredth part of the time that the table takes, which is as large as the
// memory allows; that of UDP is small.
std::vector<Listener> listeners_of(const net::Address& address) {
  if (address.is_unix())
    return measure::listeners_at(address.path()).value_or(std::vector<Listener>{});
  if (!address.is_udp()) {
    if (auto told = measure::listeners_at({host_of(address), address.port()}))
      return *std::move(told);
  }
  for (const Wanted& wanted : wanted_of(address)) {
    auto listeners = listeners_in(wanted, address.port());
    if (!listeners.empty()) return listeners;
  }
  return {};
}

std::string why_hidden(const Listener& socket, bool some_hidden) {
  if (socket.user && *socket.user != ::geteuid() && ::geteuid() != 0) {
    const passwd* const entry = ::getpwuid(*socket.user);
    return fmt::format(
        "its socket belongs to user {}, whose processes only root and that user may "
        "look into; run netload as one of them, or {}",
        entry ? entry->pw_name : std::to_string(*socket.user), kNameIt);
  }
  if (some_hidden) {
    return fmt::format(
        "none of the processes that this user may look into holds its socket; run "
        "netload as root, or {}",
        kNameIt);
  }
  return "no process that can be seen from here holds its socket: it runs in another container "
         "(pid namespace), or in the kernel";
}

bool is_systemd(pid_t pid) {
  const auto times = measure::ProcProcesses().times(pid);
  return times && times->name == "systemd";
}

Target find_server(const net::Address& address) {
  Target found{.address = address, .found = true};
  std::error_code ignored;
  if (!fs::exists("/proc/self/stat", ignored)) {
    found.unknown = "/proc is not mounted";
    return found;
  }
  if (!is_of_this_machine(address)) {
    found.unknown = fmt::format(
        "{} is no address of this network namespace; if the server runs on this machine, {}",
        address.host(), kNameIt);
    return found;
  }
  const auto listeners = listeners_of(address);
  if (listeners.empty()) {
    if (const auto peer = address.is_unix() ? peer_of(address) : std::nullopt) {
      found.pids = {*peer};
    } else {
      found.unknown = fmt::format("no socket of this network namespace listens on {}; {}",
                                  address.to_string(), kNameIt);
    }
    return found;
  }
  std::set<std::uint64_t> inodes;
  for (const Listener& listener : listeners) inodes.insert(listener.inode);
  const auto holders = measure::holders_of(inodes);
  std::set<pid_t> pids;
  for (const Listener& listener : listeners) {
    const auto of_this = holders.pids.find(listener.inode);
    if (of_this == holders.pids.end()) {
      found.unknown = why_hidden(listener, holders.some_hidden);
      return found;
    }
    pids.insert(of_this->second.begin(), of_this->second.end());
  }
  found.pids.assign(pids.begin(), pids.end());
  leave_out_systemd(found);
  return found;
}

Result<Target> named_server(const net::Address& address, pid_t pid) {
  const Target seen = find_server(address);
  measure::ProcProcesses processes;
  measure::ProcessTree named(processes, {pid}, ::getpid());
  named.look();
  measure::ProcessTree server(processes, seen.pids, ::getpid());
  server.look();
  const auto is_named = [&](pid_t one) { return named.has(one); };
  if (server.pids().empty() || std::ranges::any_of(seen.pids, is_named))
    return Target{address, {pid}};
  return failed(fmt::format("--server-pid {} does not serve {}: {} does; leave the option out", pid,
                            address.to_string(), server.describe()),
                {}, 0);
}

}  // namespace wiremark::tools
