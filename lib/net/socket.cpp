// Stream and datagram sockets, set up: ones that listen, and ones that connect.
#include "net/socket.h"

#include <fcntl.h>
#include <linux/sock_diag.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <string>
#include <thread>

#include "net/udp_message.h"

namespace wiremark::net {

namespace {

// The kernel tears the ring of a process that was killed down in the background: its listeners
// stayed bound for 4 to 35 ms on an idle Linux 6.18, and for longer where the processors had other
// work.
constexpr int kBindTries = 100;
constexpr auto kBindPause = std::chrono::milliseconds(5);

Result<> set_option(int fd, int level, int name, int value, const char* spelled) {
  if (::setsockopt(fd, level, name, &value, sizeof value) != 0)
    return failed("setsockopt", spelled);
  return {};
}

Result<Fd> open_socket(const Address& address, const SocketOptions& options) {
  const int type = address.is_udp() ? SOCK_DGRAM : SOCK_STREAM;
  Fd fd(::socket(address.family(), type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) {
    const int error = errno;
    const std::string fix = fix_of_files(error);
    return failed("socket", address.to_string() + (fix.empty() ? "" : " ") + fix, error);
  }
  Result<> done;
  if (!address.is_unix() && !address.is_udp())
    done = set_option(fd.get(), IPPROTO_TCP, TCP_NODELAY, 1, "TCP_NODELAY");
  if (done && options.send_buffer > 0) {
    done = set_option(fd.get(), SOL_SOCKET, SO_SNDBUF, options.send_buffer, "SO_SNDBUF");
  }
  if (done && options.receive_buffer > 0) {
    done = set_option(fd.get(), SOL_SOCKET, SO_RCVBUF, options.receive_buffer, "SO_RCVBUF");
  }
  if (!done) return std::unexpected(done.error());
  return fd;
}

// What the user can do about an address that cannot be bound, in parentheses.
std::string fix_of_bind(const Address& address, int error) {
  const bool path = address.is_unix();
  if (error == EADDRINUSE)
    return path ? " (end what holds it, or take another path)"
                : " (end what holds it, or take port 0 for any free one)";
  if (error == EADDRNOTAVAIL)
    return address.is_loopback() ? " (is the loopback interface down? 'ip link set lo up')"
                                 : " (no interface of this machine has it; add it with 'ip addr')";
  if (error == EACCES && path) return " (the folder must be one that you may write to)";
  if (error == ENOENT) return " (the folder must be there)";
  if (error != EACCES) return {};
  return " (take a port from 1024 on, or 'sysctl net.ipv4.ip_unprivileged_port_start=" +
         std::to_string(address.port()) + "')";
}

// Whether the path is a socket that refuses connections, so that its process is gone. One with a
// full queue says EAGAIN instead, and a path that is no socket is a file of the user's.
bool left_by_dead(const Address& address) {
  struct stat file;
  if (::lstat(address.path().c_str(), &file) != 0 || !S_ISSOCK(file.st_mode)) return false;
  const Fd probe(::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  return probe && ::connect(probe.get(), address.data(), address.size()) != 0 &&
         errno == ECONNREFUSED;
}

Result<> bind_patiently(int fd, const Address& address) {
  for (int tries = 1;; ++tries) {
    if (::bind(fd, address.data(), address.size()) == 0) return {};
    const int error = errno;
    if (error != EADDRINUSE || tries == kBindTries)
      return failed("bind", address.to_string() + fix_of_bind(address, error), error);
    std::this_thread::sleep_for(kBindPause);
  }
}

Result<> keep_alive(int fd, const KeepAlive& times) {
  auto done = set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1, "SO_KEEPALIVE");
  if (done) done = set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, times.idle_s, "TCP_KEEPIDLE");
  if (done) done = set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, times.interval_s, "TCP_KEEPINTVL");
  if (done) done = set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, times.probes, "TCP_KEEPCNT");
  return done;
}

Result<> share_port(int fd, const ListenOptions& options) {
  if (!options.share_port) return {};
  return set_option(fd, SOL_SOCKET, SO_REUSEPORT, 1, "SO_REUSEPORT");
}

Result<Fd> socket_from(const Address& to, const ConnectOptions& options) {
  auto fd = open_socket(to, options);
  if (!fd || !options.from) return fd;
  auto done =
      set_option(fd->get(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1, "IP_BIND_ADDRESS_NO_PORT");
  if (!done) return std::unexpected(done.error());
  if (::bind(fd->get(), options.from->data(), options.from->size()) != 0) {
    const int error = errno;
    return failed("bind", options.from->host() + fix_of_bind(*options.from, error), error);
  }
  return fd;
}

// Whatever the port: the kernel looks at the host before it.
bool can_be_bound(const Address& address) {
  const Fd probe(::socket(address.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!probe) return errno != EAFNOSUPPORT;
  return ::bind(probe.get(), address.data(), address.size()) == 0 || errno != EADDRNOTAVAIL;
}

}  // namespace

Result<Fd> listen_on(const Address& address, const ListenOptions& options) {
  if (address.is_udp()) return failed("listen", address.to_string(), EPROTOTYPE);
  if (options.listener >= 0) {
    Fd shared(::fcntl(options.listener, F_DUPFD_CLOEXEC, 0));
    if (!shared) return failed("fcntl", "F_DUPFD_CLOEXEC");
    return shared;
  }
  auto fd = open_socket(address, options);
  if (!fd) return fd;
  Result<> done;
  if (address.is_unix()) {
    if (left_by_dead(address)) ::unlink(address.path().c_str());
  } else {
    done = set_option(fd->get(), SOL_SOCKET, SO_REUSEADDR, 1, "SO_REUSEADDR");
    if (done) done = share_port(fd->get(), options);
    // A peer on this machine cannot vanish, and the probes of tens of thousands of connections come
    // all at once, of which the kernel keeps a thousand (net.core.netdev_max_backlog).
    if (done && !address.is_loopback()) done = keep_alive(fd->get(), options.keep_alive);
  }
  if (done) done = bind_patiently(fd->get(), address);
  if (!done) return std::unexpected(done.error());
  if (::listen(fd->get(), options.backlog) != 0) return failed("listen", address.to_string());
  return fd;
}

// Without SO_REUSEADDR: two UDP sockets would share the port, and one of them get nothing.
Result<Fd> bind_on(const Address& address, const ListenOptions& options) {
  if (!address.is_udp()) return failed("bind", address.to_string(), EPROTOTYPE);
  auto fd = open_socket(address, options);
  if (!fd) return fd;
  auto done = tell_way(fd->get(), address);
  if (done) done = share_port(fd->get(), options);
  if (done) done = bind_patiently(fd->get(), address);
  if (!done) return std::unexpected(done.error());
  return fd;
}

Result<Fd> socket_for(const Address& to, const ConnectOptions& options) {
  if (to.is_udp()) return failed("connect", to.to_string(), EPROTOTYPE);
  return socket_from(to, options);
}

Result<Fd> datagram_socket_for(const Address& to, const ConnectOptions& options) {
  if (!to.is_udp()) return failed("connect", to.to_string(), EPROTOTYPE);
  auto fd = socket_from(to, options);
  if (fd && ::connect(fd->get(), to.data(), to.size()) != 0)
    return failed("connect", to.to_string());
  return fd;
}

Result<> require_free(const Address& address) {
  if (address.is_unix() || address.port() == 0) return {};
  const auto probe = address.is_udp() ? bind_on(address) : listen_on(address);
  if (!probe) return std::unexpected(probe.error());
  return {};
}

Result<std::vector<Address>> addresses_to_listen_at(std::string_view text, int family) {
  auto all = Address::resolve(text, family);
  if (!all || all->size() == 1) return all;
  std::vector<Address> ours;
  std::ranges::copy_if(*all, std::back_inserter(ours), can_be_bound);
  return ours.empty() ? all : ours;
}

Segments& Segments::operator+=(const Segments& other) noexcept {
  in += other.in;
  out += other.out;
  data_in += other.data_in;
  data_out += other.data_out;
  return *this;
}

std::optional<Segments> segments_of(int fd) noexcept {
  tcp_info info;
  socklen_t size = sizeof info;
  if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return std::nullopt;
  constexpr std::size_t kNeeded =
      offsetof(tcp_info, tcpi_data_segs_out) + sizeof info.tcpi_data_segs_out;
  if (size < kNeeded) return std::nullopt;
  return Segments{info.tcpi_segs_in, info.tcpi_segs_out, info.tcpi_data_segs_in,
                  info.tcpi_data_segs_out};
}

std::size_t unacknowledged_by_peer(int fd) noexcept {
  int bytes = 0;
  return ::ioctl(fd, SIOCOUTQ, &bytes) == 0 ? static_cast<std::size_t>(bytes) : 0;
}

std::uint64_t drops_of(int fd) noexcept {
  std::uint32_t figures[SK_MEMINFO_VARS] = {};
  socklen_t size = sizeof figures;
  if (::getsockopt(fd, SOL_SOCKET, SO_MEMINFO, figures, &size) != 0) return 0;
  return figures[SK_MEMINFO_DROPS];
}

Result<std::size_t> require_descriptors(std::size_t needed) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return failed("getrlimit", "RLIMIT_NOFILE");
  if (limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) return failed("setrlimit", "RLIMIT_NOFILE");
  }
  if (limit.rlim_cur < needed) {
    return failed(std::to_string(needed) + " descriptors are needed and the hard limit is " +
                      std::to_string(limit.rlim_max) +
                      "; raise it with 'ulimit -Hn' as root, or in /etc/security/limits.conf",
                  {}, 0);
  }
  // The kernel doubles the table of descriptors when it is full. With several threads each doubling
  // waits for an RCU grace period, 12 ms in the middle of a ramp on Linux 6.18, so we grow it now.
  const Fd highest(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, static_cast<int>(needed) - 1));
  return limit.rlim_cur;
}

}  // namespace wiremark::net
