// Who listens on a TCP port of this machine, who is connected to it, how much each connection has
// carried, and which of them the server has yet to accept or to close.
#include "measure/port_connections.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "base/fd.h"

namespace wiremark::measure {

namespace {

// The kernel's states of a TCP socket (net/tcp_states.h).
constexpr std::uint32_t kEstablished = 1, kCloseWait = 8, kListening = 10;

/// One socket of the answer.
struct Found {
  std::uint8_t family = 0;
  Host host{};
  std::uint32_t state = 0;
  Listener listener{};
  std::uint64_t cookie = 0;
  std::uint64_t segments = 0;
  std::uint32_t queued = 0;  // Where it listens: connections that are not accepted.
};

Host host_of(const inet_diag_msg& socket) {
  Host host{};
  if (socket.idiag_family == AF_INET6) {
    std::memcpy(host.data(), socket.id.idiag_src, host.size());
  } else if (socket.id.idiag_src[0] != 0) {
    host[10] = host[11] = 0xff;
    std::memcpy(host.data() + 12, socket.id.idiag_src, 4);
  }
  return host;
}

std::uint64_t segments_of(const inet_diag_msg& socket, std::size_t size) {
  int left = static_cast<int>(size - NLMSG_ALIGN(sizeof socket));
  for (auto* one = reinterpret_cast<const rtattr*>(&socket + 1); RTA_OK(one, left);
       one = RTA_NEXT(one, left)) {
    if (one->rta_type != INET_DIAG_INFO) continue;
    tcp_info info{};  // An older kernel gives less, and a newer one more.
    std::memcpy(&info, RTA_DATA(one), std::min<std::size_t>(sizeof info, RTA_PAYLOAD(one)));
    return std::uint64_t{info.tcpi_data_segs_in} + info.tcpi_data_segs_out;
  }
  return 0;
}

// The older kind of request, because it asks for both families. What a look at connections takes is
// to walk through a table that is as large as the machine's memory allows, however few they are.
bool ask(const Fd& netlink, std::uint16_t port, std::uint32_t states) {
  struct {
    nlmsghdr head;
    inet_diag_req body;
  } request{};
  request.head.nlmsg_len = sizeof request;
  request.head.nlmsg_type = TCPDIAG_GETSOCK;
  request.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  if (states & 1U << kEstablished) request.body.idiag_ext = 1 << (INET_DIAG_INFO - 1);
  request.body.idiag_states = states;
  request.body.id.idiag_sport = htons(port);
  return ::send(netlink.get(), &request, sizeof request, 0) == sizeof request;
}

// The sockets at `port` that are in one of `states`; none where the kernel does not tell.
std::optional<std::vector<Found>> sockets_in(std::uint32_t states, std::uint16_t port) {
  const Fd netlink(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!netlink || !ask(netlink, port, states)) return std::nullopt;
  std::vector<Found> sockets;
  alignas(nlmsghdr) std::array<std::byte, 32768> answer;
  for (;;) {
    const ssize_t got = ::recv(netlink.get(), answer.data(), answer.size(), 0);
    if (got <= 0) return std::nullopt;
    auto left = static_cast<unsigned>(got);
    for (auto* head = reinterpret_cast<nlmsghdr*>(answer.data()); NLMSG_OK(head, left);
         head = NLMSG_NEXT(head, left)) {
      if (head->nlmsg_type == NLMSG_DONE) return sockets;
      if (head->nlmsg_type != TCPDIAG_GETSOCK) return std::nullopt;
      const auto& socket = *static_cast<const inet_diag_msg*>(NLMSG_DATA(head));
      const auto& cookie = socket.id.idiag_cookie;
      sockets.push_back({socket.idiag_family,
                         host_of(socket),
                         socket.idiag_state,
                         {socket.idiag_inode, socket.idiag_uid},
                         std::uint64_t{cookie[1]} << 32 | cookie[0],
                         segments_of(socket, NLMSG_PAYLOAD(head, 0)),
                         socket.idiag_rqueue});
    }
  }
}

// Those of the server at `at` that listen or are in `state`; none where the kernel does not tell.
std::optional<std::vector<Found>> sockets_at(const TcpPort& at, std::uint32_t state) {
  auto sockets = sockets_in(1U << state | 1U << kListening, at.port);
  if (!sockets) return std::nullopt;
  const bool listens_there = std::ranges::any_of(
      *sockets, [&](const Found& one) { return one.state == kListening && one.host == at.host; });
  if (listens_there) std::erase_if(*sockets, [&](const Found& one) { return one.host != at.host; });
  return sockets;
}

}  // namespace

bool is_of_ipv4(const Host& host) {
  constexpr Host kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  return std::equal(kMapped.begin(), kMapped.begin() + 12, host.begin());
}

std::optional<std::vector<Listener>> listeners_at(const TcpPort& at) {
  const auto sockets = sockets_in(1U << kListening, at.port);
  if (!sockets) return std::nullopt;
  // The kernel asks in this order: one of its own family comes before one of IPv6 for IPv4 too, and
  // both on just this address before those on all (inet_hashtables.c, compute_score).
  std::vector<Listener> listeners;
  for (const Host& host : {at.host, Host{}}) {
    for (const int family : {AF_INET, AF_INET6}) {
      if (family == AF_INET && !is_of_ipv4(at.host)) continue;
      for (const Found& one : *sockets)
        if (one.family == family && one.host == host) listeners.push_back(one.listener);
      if (!listeners.empty()) return listeners;
    }
  }
  return listeners;
}

std::optional<PortConnections> connections_at(const TcpPort& at) {
  const auto sockets = sockets_at(at, kEstablished);
  if (!sockets) return std::nullopt;
  PortConnections connections;
  for (const Found& one : *sockets) {
    if (one.state == kEstablished) connections[one.cookie] = one.segments;
  }
  return connections;
}

std::optional<UnfinishedConnections> unfinished_at(const TcpPort& at) {
  const auto sockets = sockets_at(at, kCloseWait);
  if (!sockets) return std::nullopt;
  UnfinishedConnections unfinished;
  for (const Found& one : *sockets) {
    if (one.state == kListening) unfinished.unaccepted += one.queued;
    if (one.state == kCloseWait) ++unfinished.unclosed;
  }
  return unfinished;
}

}  // namespace wiremark::measure
