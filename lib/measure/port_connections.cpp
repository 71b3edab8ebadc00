// Who listens on a port of this machine, who is connected to it, how much each connection has
// carried, and which of them the server has yet to accept or to close.
#include "measure/port_connections.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <utility>

#include "measure/sock_diag.h"
#include "measure/text_file.h"

namespace wiremark::measure {

namespace {

/// One socket of the answer.
struct Found {
  std::uint8_t family = 0;
  HostPort local, remote;
  std::uint32_t state = 0;
  Listener socket{};
  std::uint64_t cookie = 0;
  std::uint64_t segments = 0;
  std::uint32_t queued = 0;  // Where it listens: connections that are not accepted.
  bool ipv6_only = false;    // Where it listens: IPV6_V6ONLY (ipv6(7)).
};

HostPort place_of(std::uint8_t family, const std::uint32_t* host, std::uint16_t port) {
  HostPort place{.port = ntohs(port)};
  if (family == AF_INET6) {
    std::memcpy(place.host.data(), host, place.host.size());
  } else if (host[0] != 0) {
    place.host[10] = place.host[11] = 0xff;
    std::memcpy(place.host.data() + 12, host, 4);
  }
  return place;
}

std::uint64_t segments_in(const rtattr& info) {
  tcp_info told{};  // An older kernel gives less, and a newer one more.
  std::memcpy(&told, RTA_DATA(&info), std::min<std::size_t>(sizeof told, RTA_PAYLOAD(&info)));
  return std::uint64_t{told.tcpi_data_segs_in} + told.tcpi_data_segs_out;
}

Found found_in(const nlmsghdr& message) {
  const auto& socket = *static_cast<const inet_diag_msg*>(NLMSG_DATA(&message));
  const auto& id = socket.id;
  Found found{.family = socket.idiag_family,
              .local = place_of(socket.idiag_family, id.idiag_src, id.idiag_sport),
              .remote = place_of(socket.idiag_family, id.idiag_dst, id.idiag_dport),
              .state = socket.idiag_state,
              .socket = {socket.idiag_inode, socket.idiag_uid},
              .cookie = std::uint64_t{id.idiag_cookie[1]} << 32 | id.idiag_cookie[0],
              .queued = socket.idiag_rqueue};
  for_each_attribute(message, sizeof(inet_diag_msg), [&](const rtattr& one) {
    if (one.rta_type == INET_DIAG_INFO) found.segments = segments_in(one);
    // Of sockets that listen, without being asked for (inet_diag.c).
    if (one.rta_type == INET_DIAG_SKV6ONLY && RTA_PAYLOAD(&one) > 0)
      found.ipv6_only = *static_cast<const std::uint8_t*>(RTA_DATA(&one)) != 0;
  });
  return found;
}

enum class End : std::uint8_t { server, client };

// The sockets of TCP in one of `states` of those who have `port`, or of those who are connected to
// it; none where the kernel does not tell. By the older kind of request, because it asks for both
// families. What it takes is to walk through a table that is as large as the machine's memory
// allows, however few they are.
std::optional<std::vector<Found>> sockets_in(std::uint32_t states, End end, std::uint16_t port) {
  inet_diag_req request{};
  (end == End::server ? request.id.idiag_sport : request.id.idiag_dport) = htons(port);
  if (end == End::server && states & among(kEstablished))
    request.idiag_ext = 1 << (INET_DIAG_INFO - 1);
  request.idiag_states = states;
  std::vector<Found> sockets;
  const auto take = [&](const nlmsghdr& one) { sockets.push_back(found_in(one)); };
  if (!list_sockets(TCPDIAG_GETSOCK, std::as_bytes(std::span(&request, 1)), take))
    return std::nullopt;
  return sockets;
}

// The sockets of UDP that are connected, and have `port` or are connected to it.
std::optional<std::vector<Found>> datagram_sockets_in(End end, std::uint16_t port) {
  std::vector<Found> sockets;
  const auto take = [&](const nlmsghdr& one) { sockets.push_back(found_in(one)); };
  for (const int family : {AF_INET, AF_INET6}) {
    inet_diag_req_v2 request{};
    request.sdiag_family = static_cast<std::uint8_t>(family);
    request.sdiag_protocol = IPPROTO_UDP;
    request.idiag_states = among(kEstablished);
    (end == End::server ? request.id.idiag_sport : request.id.idiag_dport) = htons(port);
    if (!list_sockets(SOCK_DIAG_BY_FAMILY, std::as_bytes(std::span(&request, 1)), take))
      return std::nullopt;
  }
  return sockets;
}

// Those of the server at `at` that listen or are in `state`; none where the kernel does not tell.
std::optional<std::vector<Found>> sockets_at(const HostPort& at, std::uint32_t state) {
  auto sockets = sockets_in(among(state) | among(kListening), End::server, at.port);
  if (!sockets) return std::nullopt;
  const bool listens_there = std::ranges::any_of(*sockets, [&](const Found& one) {
    return one.state == kListening && one.local.host == at.host;
  });
  if (listens_there)
    std::erase_if(*sockets, [&](const Found& one) { return one.local.host != at.host; });
  return sockets;
}

}  // namespace

bool is_of_ipv4(const Host& host) {
  constexpr Host kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  return std::equal(kMapped.begin(), kMapped.begin() + 12, host.begin());
}

std::optional<std::vector<Listener>> listeners_at(const HostPort& at) {
  const auto sockets = sockets_in(among(kListening), End::server, at.port);
  if (!sockets) return std::nullopt;
  // The kernel asks in this order: one of its own family comes before one of IPv6 for IPv4 too, and
  // both on just this address before those on all (inet_hashtables.c, compute_score).
  std::vector<Listener> listeners;
  for (const Host& host : {at.host, Host{}}) {
    for (const int family : {AF_INET, AF_INET6}) {
      if (family == AF_INET && !is_of_ipv4(at.host)) continue;
      for (const Found& one : *sockets) {
        if (one.family != family || one.local.host != host) continue;
        if (!one.ipv6_only || !is_of_ipv4(at.host)) listeners.push_back(one.socket);
      }
      if (!listeners.empty()) return listeners;
    }
  }
  return listeners;
}

std::optional<std::vector<ServerEnd>> connections_at(const HostPort& at) {
  const auto sockets = sockets_at(at, kEstablished);
  // A client's end is in one of these states as long as the server's is established.
  const auto clients =
      sockets_in(among(kEstablished) | among(kFinWait1) | among(kFinWait2), End::client, at.port);
  if (!sockets || !clients) return std::nullopt;
  const std::set<std::uint64_t> own = sockets_of_this_process();
  std::map<std::pair<HostPort, HostPort>, std::uint64_t> inodes;
  for (const Found& one : *clients) inodes[{one.local, one.remote}] = one.socket.inode;
  const auto whose = [&](const Found& end) {
    const auto client = inodes.find({end.remote, end.local});
    if (client == inodes.end()) return Client::other;  // It is on another machine.
    if (client->second == 0) return Client::gone;
    return own.contains(client->second) ? Client::ours : Client::other;
  };
  std::vector<ServerEnd> ends;
  for (const Found& one : *sockets) {
    if (one.state == kEstablished)
      ends.push_back({one.cookie, one.socket, whose(one), one.segments});
  }
  if (std::ranges::find(ends, Client::other, &ServerEnd::client) == ends.end()) return ends;
  // The lists are not of one moment: one that has ended since the first of them seems to be of
  // another client.
  const auto again = sockets_at(at, kEstablished);
  if (!again) return std::nullopt;
  std::set<std::uint64_t> stayed;
  for (const Found& one : *again)
    if (one.state == kEstablished) stayed.insert(one.cookie);
  std::erase_if(ends, [&](const ServerEnd& end) {
    return end.client == Client::other && !stayed.contains(end.cookie);
  });
  return ends;
}

std::optional<std::vector<ServerEnd>> datagram_clients_of(const HostPort& at) {
  const auto clients = datagram_sockets_in(End::client, at.port);
  const auto servers = datagram_sockets_in(End::server, at.port);
  if (!clients || !servers) return std::nullopt;
  const std::set<std::uint64_t> own = sockets_of_this_process();
  std::vector<ServerEnd> ends;
  for (const Found& one : *clients) {
    if (one.remote != at) continue;
    const Client whose = own.contains(one.socket.inode) ? Client::ours : Client::other;
    ServerEnd end{one.cookie, {}, whose, std::nullopt};
    for (const Found& server : *servers)
      if (server.local == at && server.remote == one.local) end.socket = server.socket;
    ends.push_back(end);
  }
  return ends;
}

std::optional<std::uint64_t> datagrams_received() {
  // The names are in one line and the numbers in the next, or both beside each other.
  const auto four = read_text("/proc/net/snmp");
  if (!four) return std::nullopt;
  std::uint64_t all = 0;
  std::istringstream lines(*four);
  std::vector<std::string> names;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("Udp: ")) continue;
    std::istringstream words(line);
    const std::vector<std::string> fields{std::istream_iterator<std::string>(words), {}};
    if (names.empty()) {
      names = fields;
      continue;
    }
    const auto at = std::ranges::find(names, "InDatagrams") - names.begin();
    if (static_cast<std::size_t>(at) < fields.size()) all += std::stoull(fields[at]);
  }
  std::istringstream six(read_text("/proc/net/snmp6").value_or(""));  // Absent without IPv6.
  std::uint64_t count = 0;
  for (std::string name; six >> name >> count;) all += name == "Udp6InDatagrams" ? count : 0;
  return all;
}

std::optional<UnfinishedConnections> unfinished_at(const HostPort& at) {
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
