// Datagrams of one UDP address over AF_XDP, past the kernel's network stack: to those who ask a
// server there, or to one server that a client asks. Lives on one thread.
#include "net/xdp/reactor.h"

#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <time.h>

#include <cerrno>
#include <cstring>
#include <optional>

namespace wiremark::net {

namespace {

struct Interface {
  std::string name;
  bool loopback = false;
};

bool same_host(const sockaddr* one, const Address& other) noexcept {
  if (one == nullptr || one->sa_family != other.family()) return false;
  if (one->sa_family == AF_INET6)
    return std::memcmp(&reinterpret_cast<const sockaddr_in6*>(one)->sin6_addr,
                       &reinterpret_cast<const sockaddr_in6*>(other.data())->sin6_addr,
                       sizeof(in6_addr)) == 0;
  return reinterpret_cast<const sockaddr_in*>(one)->sin_addr.s_addr ==
         reinterpret_cast<const sockaddr_in*>(other.data())->sin_addr.s_addr;
}

std::optional<Interface> interface_of(const Address& address) {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return {};
  std::optional<Interface> found;
  for (const ifaddrs* one = all; one != nullptr && !found; one = one->ifa_next)
    if (same_host(one->ifa_addr, address))
      found = Interface{one->ifa_name, (one->ifa_flags & IFF_LOOPBACK) != 0};
  ::freeifaddrs(all);
  return found;
}

ifreq request_for(const std::string& interface) noexcept {
  ifreq request{};
  std::memcpy(request.ifr_name, interface.data(),
              std::min<std::size_t>(interface.size(), IFNAMSIZ - 1));
  return request;
}

// A driver that cannot tell has one.
unsigned receive_queues(const std::string& interface) noexcept {
  const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ethtool_channels channels{};
  channels.cmd = ETHTOOL_GCHANNELS;
  ifreq request = request_for(interface);
  request.ifr_data = reinterpret_cast<char*>(&channels);
  if (::ioctl(socket.get(), SIOCETHTOOL, &request) != 0) return 1;
  return std::max(channels.rx_count + channels.combined_count, 1u);
}

std::unexpected<Error> only_udp(const char* call, const Address& address) {
  return failed(std::string(call) + " " + address.to_string(),
                "(--backend xdp carries udp: addresses alone; use epoll or uring)",
                EPROTONOSUPPORT);
}

Result<std::string> interface_for(const Address& at, const ListenOptions& options) {
  const std::string call = "AF_XDP " + at.to_string();
  if (options.share_port)
    return failed(call, "(one thread serves all receive queues: leave --threads out)", EINVAL);
  if (at.is_any())
    return failed(call, "(name one address: it decides the interface)", EADDRNOTAVAIL);
  const auto interface = interface_of(at);
  if (!interface) return failed(call, "(no interface has this address)", EADDRNOTAVAIL);
  if (interface->loopback)
    return failed(call, "(the loopback device drops what AF_XDP sends: use another interface)",
                  EOPNOTSUPP);
  return interface->name;
}

}  // namespace

XdpReactor::XdpReactor(const ReactorOptions& options)
    : options_(options),
      waiter_(options.wait),
      attention_(options.heartbeat),
      taken_until_(kFramesPerTurn * xdp::Queue::kFrame),
      held_(options_, stats_) {}

Result<> XdpReactor::available() {
  const Fd socket(::socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0));
  if (!socket) return xdp::refused("socket AF_XDP", errno);
  const auto any = Address::parse_host("0.0.0.0");
  if (!any) return std::unexpected(any.error());
  if (auto program = xdp::Program::load(*any, 1); !program) return std::unexpected(program.error());
  return {};
}

Result<std::unique_ptr<XdpReactor>> XdpReactor::open(const ReactorOptions& options) {
  return std::unique_ptr<XdpReactor>(new XdpReactor(options));
}

Result<Address> XdpReactor::listen(const Address& at, const ListenOptions&) {
  return only_udp("listen", at);
}

Result<Conn*> XdpReactor::connect(const Address& to, const ConnectOptions&, void*) {
  return only_udp("connect", to);
}

Result<> XdpReactor::fits_mtu(int socket, const std::string& interface) {
  ifreq request = request_for(interface);
  if (::ioctl(socket, SIOCGIFMTU, &request) != 0) return failed("SIOCGIFMTU", interface);
  mtu_ = static_cast<std::size_t>(request.ifr_mtu);
  constexpr std::size_t kMost = xdp::Queue::kRoom - xdp::kEthernetHeader;
  if (mtu_ <= kMost) return {};
  return failed("AF_XDP " + interface,
                "(its MTU is " + std::to_string(mtu_) + " and a frame holds " +
                    std::to_string(kMost) + ": 'ip link set " + interface + " mtu " +
                    std::to_string(kMost) + "')",
                EMSGSIZE);
}

Result<Address> XdpReactor::bind(const Address& at, const ListenOptions& options) {
  if (program_)
    return failed("AF_XDP " + at.to_string(), "(it serves one address of each process)", EBUSY);
  const auto interface = interface_for(at, options);
  if (!interface) return std::unexpected(interface.error());
  auto socket = bind_on(at, options);
  if (!socket) return std::unexpected(socket.error());
  const int fd = socket->get();
  auto bound = Address::of_socket(fd);
  if (!bound) return bound;
  if (auto fits = fits_mtu(fd, *interface); !fits) return std::unexpected(fits.error());
  polled_[1].fd = fd;
  held_.add_bound(std::move(*socket), *bound);
  auto program = xdp::Program::load(*bound, receive_queues(*interface));
  if (auto taken = take_queues(*interface, std::move(program), false); !taken)
    return std::unexpected(taken.error());
  return bound;
}

// A program for all of the receive queues, and a socket for each of them.
Result<> XdpReactor::take_queues(const std::string& interface, Result<xdp::Program> program,
                                 bool asks) {
  if (!program) return std::unexpected(program.error());
  const unsigned index = ::if_nametoindex(interface.c_str());
  if (index == 0) return failed("if_nametoindex", interface);
  if (auto attached = program->attach(index, options_.xdp); !attached) return attached;
  for (unsigned i = 0; i < receive_queues(interface); ++i) {
    auto queue = xdp::Queue::open(index, i, program->mode() == XdpMode::generic, asks);
    if (!queue) return std::unexpected(queue.error());
    if (auto directed = program->direct(i, queue->fd()); !directed) return directed;
    polled_.push_back({queue->fd(), POLLIN, 0});
    queues_.push_back(std::move(*queue));
  }
  program_ = std::make_unique<xdp::Program>(std::move(*program));
  interface_ = interface;
  return {};
}

Result<> XdpReactor::begin_asking(const Address& to, const Address& from) {
  auto route = xdp::route_to(to, from);
  if (!route) return std::unexpected(route.error());
  const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (auto fits = fits_mtu(socket.get(), route->name); !fits) return fits;
  auto program = xdp::Program::load_replies(to, from, receive_queues(route->name));
  if (auto taken = take_queues(route->name, std::move(program), true); !taken) return taken;
  asks_ = Asked{to, from, std::move(*route)};
  conns_ = std::make_unique<xdp::Conns>(stats_);
  polled_[1].fd = conns_->fd();
  return {};
}

Result<DatagramConn*> XdpReactor::connect_datagrams(const Address& to,
                                                    const ConnectOptions& options, void* user) {
  if (refused_) return std::unexpected(*refused_);
  auto socket = datagram_socket_for(to, options);
  if (!socket) return std::unexpected(socket.error());
  const auto from = Address::of_socket(socket->get());
  if (!from) return std::unexpected(from.error());
  if (!asks_) {
    if (auto begun = begin_asking(to, *from); !begun) {
      refused_ = begun.error();
      return std::unexpected(begun.error());
    }
  }
  if (to.to_string() != asks_->to.to_string() || from->host() != asks_->from.host())
    return failed("AF_XDP to " + to.to_string(),
                  "(one thread asks one server from one address: give --source-ip one)", EINVAL);
  if (auto taken = program_->take_port(from->port()); !taken) return std::unexpected(taken.error());
  const xdp::Envelope envelope(*from, to, asks_->route);
  auto conn = conns_->add(std::move(*socket), from->port(),
                          {-1, user, envelope, conns_->size() % queues_.size()});
  if (!conn) return std::unexpected(conn.error());
  return *conn;
}

int XdpReactor::send(DatagramConn& to, Bytes head, Bytes body) {
  const auto& conn = static_cast<xdp::Conn&>(to);
  const std::size_t size = head.size() + body.size();
  const std::size_t headers = conn.envelope.size();
  if (headers + size > xdp::kEthernetHeader + mtu_) {
    stats_.datagrams_unsent.add();
    return EMSGSIZE;
  }
  xdp::Queue& queue = queues_[conn.queue];
  std::span<std::byte> frame = queue.spare();
  if (frame.empty()) [[unlikely]] {
    stats_.system_calls.add(queue.submit());
    frame = queue.spare();
  }
  if (frame.empty()) [[unlikely]] {
    stats_.datagrams_unsent.add();
    return ENOBUFS;
  }
  if (!head.empty()) std::memcpy(frame.data() + headers, head.data(), head.size());
  if (!body.empty()) std::memcpy(frame.data() + headers + head.size(), body.data(), body.size());
  queue.send(frame, conn.envelope.seal(frame, size));
  stats_.copied.add(size);
  stats_.datagrams_out.add();
  stats_.bytes_out.add(size);
  return 0;
}

void XdpReactor::submit() noexcept {
  for (xdp::Queue& queue : queues_) stats_.system_calls.add(queue.submit());
}

std::uint64_t XdpReactor::datagrams_dropped() const {
  std::uint64_t dropped = held_.dropped() + (conns_ ? conns_->dropped() : 0);
  for (const xdp::Queue& queue : queues_) dropped += queue.dropped();
  return dropped;
}

std::vector<std::string> XdpReactor::describe() const {
  if (!program_) return {"AF_XDP, without an address"};
  std::vector<std::string> lines = {
      "AF_XDP on " + interface_ + ", " + std::string(to_string(program_->mode())) + ", " +
      (queues_.front().zero_copy() ? "zero-copy" : "copied") + ", " +
      std::to_string(queues_.size()) + " receive queue" + (queues_.size() == 1 ? "" : "s")};
  if (program_->mode() == XdpMode::generic)
    lines.push_back("generic XDP: the kernel drops frames that a sender on this machine gathered");
  if (conns_ && conns_->drained() > 0)
    lines.push_back("AF_XDP: " + std::to_string(conns_->drained()) +
                    " of the datagrams came by the kernel's sockets, such as fragments");
  if (const std::string batch = options_.wait.batch_note(); !batch.empty())
    lines.push_back(batch + ", asleep in clock_nanosleep(2)");
  return lines;
}

Nanoseconds XdpReactor::nap(Nanoseconds start, Nanoseconds until) {
  const timespec time = to_timespec(until - start);
  ::clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
  stats_.system_calls.add();
  return now();
}

Result<bool> XdpReactor::wait(Nanoseconds began, Nanoseconds deadline) {
  deadline = attention_.at_most(began, deadline);
  bool hurry = false;
  bool must_call = began >= looked_ + kLook;
  for (const xdp::Queue& queue : queues_) {
    hurry |= queue.received() > 0 || queue.unsent();
    must_call |= queue.wants_call();
  }
  Nanoseconds start = began, gathered = began, until = hurry ? 0 : deadline;
  if (!waiter_.blocks()) {
    if (!waiter_.had_batch()) gathered = waiter_.gather_until(began, deadline);
    if (gathered > began) start = nap(began, gathered);
    if (!hurry) until = waiter_.sleep_until(start, deadline);
  }
  attention_.waits(began, std::max(gathered, until));
  stats_.turns.add();
  asked_ = start;
  polled_all_ = until > start || must_call;
  if (!polled_all_) return false;
  looked_ = start;
  timespec timeout{};
  if (until > start) {
    if (until != kNever) timeout = to_timespec(until - start);
    stats_.sleeps.add();
  }
  stats_.system_calls.add();
  const int count =
      ::ppoll(polled_.data(), polled_.size(), until == kNever ? nullptr : &timeout, nullptr);
  if (count < 0 && errno != EINTR) return failed("poll", interface_);
  return count > 0 && polled_[1].revents != 0;
}

}  // namespace wiremark::net
