// The way that this machine's routes take to an address, as Ethernet needs it.
#include "net/xdp/route.h"

#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/fd.h"

namespace wiremark::net::xdp {

namespace {

// A host without its port, as the attributes of netlink have it.
struct Host {
  int family = AF_UNSPEC;
  std::size_t size = 0;
  std::array<std::byte, 16> bytes{};
};

Host make_host(int family, const void* bytes) {
  Host host{.family = family, .size = family == AF_INET6 ? 16u : 4u};
  std::memcpy(host.bytes.data(), bytes, host.size);
  return host;
}

Host host_of(const Address& address) {
  if (address.family() == AF_INET6)
    return make_host(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(address.data())->sin6_addr);
  return make_host(AF_INET, &reinterpret_cast<const sockaddr_in*>(address.data())->sin_addr);
}

// One message to the kernel: a header, a body and attributes.
class Request {
 public:
  template <class Body>
  Request(std::uint16_t type, std::uint16_t flags, const Body& body) {
    header().nlmsg_type = type;
    header().nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | flags);
    header().nlmsg_len = NLMSG_LENGTH(sizeof body);
    std::memcpy(NLMSG_DATA(&header()), &body, sizeof body);
  }
  void add(std::uint16_t type, const void* value, std::size_t size) {
    const std::size_t at = NLMSG_ALIGN(header().nlmsg_len);
    const rtattr attribute{.rta_len = static_cast<std::uint16_t>(RTA_LENGTH(size)),
                           .rta_type = type};
    std::memcpy(bytes_ + at, &attribute, sizeof attribute);
    std::memcpy(bytes_ + at + RTA_LENGTH(0), value, size);
    header().nlmsg_len = static_cast<std::uint32_t>(at + RTA_LENGTH(size));
  }
  void add(std::uint16_t type, const Host& host) { add(type, host.bytes.data(), host.size); }
  nlmsghdr& header() noexcept { return *reinterpret_cast<nlmsghdr*>(bytes_); }

 private:
  alignas(nlmsghdr) std::byte bytes_[256] = {};
};

class Netlink {
 public:
  Netlink() : socket_(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE)) {}
  // The first message of the answer, which an acknowledgement is too. Errors: what the kernel says.
  Result<const nlmsghdr*> ask(Request& request, const char* name) {
    const nlmsghdr& header = request.header();
    ssize_t got = -1;
    if (socket_ && ::send(socket_.get(), &header, header.nlmsg_len, 0) >= 0)
      got = ::recv(socket_.get(), answer_, sizeof answer_, 0);
    if (got < 0) return failed("netlink", name);
    const auto* const answer = reinterpret_cast<const nlmsghdr*>(answer_);
    if (!NLMSG_OK(answer, static_cast<std::size_t>(got))) return failed("netlink", name, EBADMSG);
    if (answer->nlmsg_type != NLMSG_ERROR) return answer;
    const int error = -static_cast<const nlmsgerr*>(NLMSG_DATA(answer))->error;
    if (error != 0) return failed("netlink", name, error);
    return answer;
  }

 private:
  Fd socket_;
  alignas(nlmsghdr) std::byte answer_[8192];
};

template <class Body, class Visit>
void for_each_attribute(const nlmsghdr& message, const Visit& visit) {
  const auto* at = reinterpret_cast<const rtattr*>(
      static_cast<const std::byte*>(NLMSG_DATA(&message)) + NLMSG_ALIGN(sizeof(Body)));
  auto left = static_cast<int>(message.nlmsg_len - NLMSG_SPACE(sizeof(Body)));
  for (; RTA_OK(at, left); at = RTA_NEXT(at, left)) visit(*at);
}

struct Hop {
  unsigned interface = 0;
  Host next;
  bool own = false;  // It stays on this machine.
};

Result<Hop> look_up(Netlink& netlink, const Address& to, const Address& from) {
  const Host target = host_of(to);
  rtmsg body{};
  body.rtm_family = static_cast<std::uint8_t>(target.family);
  body.rtm_dst_len = body.rtm_src_len = static_cast<std::uint8_t>(8 * target.size);
  Request request(RTM_GETROUTE, 0, body);
  request.add(RTA_DST, target);
  request.add(RTA_SRC, host_of(from));
  if (to.family() == AF_INET6) {
    const auto& name = *reinterpret_cast<const sockaddr_in6*>(to.data());
    if (name.sin6_scope_id != 0) request.add(RTA_OIF, &name.sin6_scope_id, sizeof(std::uint32_t));
  }
  const auto answer = netlink.ask(request, "RTM_GETROUTE");
  if (!answer) return std::unexpected(answer.error());
  if ((*answer)->nlmsg_type != RTM_NEWROUTE) return failed("netlink", "RTM_GETROUTE", EBADMSG);
  Hop hop{.next = target};
  hop.own = static_cast<const rtmsg*>(NLMSG_DATA(*answer))->rtm_type != RTN_UNICAST;
  for_each_attribute<rtmsg>(**answer, [&](const rtattr& one) {
    if (one.rta_type == RTA_OIF) std::memcpy(&hop.interface, RTA_DATA(&one), sizeof hop.interface);
    if (one.rta_type == RTA_GATEWAY) hop.next = make_host(target.family, RTA_DATA(&one));
    if (one.rta_type == RTA_VIA) {
      const auto* const via = static_cast<const rtvia*>(RTA_DATA(&one));
      hop.next = make_host(via->rtvia_family, via->rtvia_addr);
    }
  });
  return hop;
}

// True once the kernel knows where the neighbour is. Errors: it will not know.
Result<bool> find(Netlink& netlink, const Hop& hop, EthernetAddress& found) {
  ndmsg body{};
  body.ndm_family = static_cast<std::uint8_t>(hop.next.family);
  body.ndm_ifindex = static_cast<int>(hop.interface);
  Request request(RTM_GETNEIGH, 0, body);
  request.add(NDA_DST, hop.next);
  const auto answer = netlink.ask(request, "RTM_GETNEIGH");
  if (!answer && answer.error().code == ENOENT) return false;
  if (!answer) return std::unexpected(answer.error());
  constexpr int kKnown =
      NUD_PERMANENT | NUD_NOARP | NUD_REACHABLE | NUD_PROBE | NUD_STALE | NUD_DELAY;
  const auto& neighbour = *static_cast<const ndmsg*>(NLMSG_DATA(*answer));
  bool known = false;
  for_each_attribute<ndmsg>(**answer, [&](const rtattr& one) {
    if (one.rta_type != NDA_LLADDR || RTA_PAYLOAD(&one) != found.size()) return;
    std::memcpy(found.data(), RTA_DATA(&one), found.size());
    known = (neighbour.ndm_state & kKnown) != 0;
  });
  return known;
}

// The kernel finds the neighbour for an empty datagram to the discard port (RFC 863), which goes no
// further than the first router. Without a packet (NTF_USE) it finds none for IPv6 before the
// interface has a link-local address, which takes a second or two.
Result<> have_resolved(const Address& to, const Address& from) {
  sockaddr_storage source{}, target{};
  std::memcpy(&source, from.data(), from.size());
  std::memcpy(&target, to.data(), to.size());
  const bool ipv6 = to.family() == AF_INET6;
  // The port of sockaddr_in6 lies where that of sockaddr_in does.
  reinterpret_cast<sockaddr_in&>(source).sin_port = 0;
  reinterpret_cast<sockaddr_in&>(target).sin_port = htons(9);
  const Fd socket(::socket(to.family(), SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  constexpr int kHops = 1;
  if (!socket ||
      ::setsockopt(socket.get(), ipv6 ? IPPROTO_IPV6 : IPPROTO_IP,
                   ipv6 ? IPV6_UNICAST_HOPS : IP_TTL, &kHops, sizeof kHops) != 0 ||
      ::bind(socket.get(), reinterpret_cast<sockaddr*>(&source), from.size()) != 0 ||
      ::sendto(socket.get(), nullptr, 0, 0, reinterpret_cast<sockaddr*>(&target), to.size()) < 0)
    return failed("sendto", to.to_string());
  return {};
}

Result<EthernetAddress> own_address(const std::string& interface) {
  const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::memcpy(request.ifr_name, interface.data(),
              std::min<std::size_t>(interface.size(), IFNAMSIZ - 1));
  if (!socket || ::ioctl(socket.get(), SIOCGIFHWADDR, &request) != 0)
    return failed("SIOCGIFHWADDR", interface);
  if (request.ifr_hwaddr.sa_family != ARPHRD_ETHER)
    return failed("AF_XDP " + interface, "(is no Ethernet: use --backend epoll or uring)",
                  EOPNOTSUPP);
  EthernetAddress own;
  std::memcpy(own.data(), request.ifr_hwaddr.sa_data, own.size());
  return own;
}

}  // namespace

Result<Route> route_to(const Address& to, const Address& from) {
  const std::string call = "AF_XDP to " + to.to_string();
  Netlink netlink;
  const auto hop = look_up(netlink, to, from);
  if (!hop) return std::unexpected(hop.error());
  if (hop->own)
    return failed(call,
                  "(the way there is loopback, which drops what AF_XDP sends: use --backend epoll "
                  "or uring)",
                  EOPNOTSUPP);
  char name[IF_NAMESIZE];
  if (::if_indextoname(hop->interface, name) == nullptr) return failed("if_indextoname");
  const auto own = own_address(name);
  if (!own) return std::unexpected(own.error());
  Route route{.interface = hop->interface, .name = name, .own = *own};
  constexpr timespec kPause{.tv_sec = 0, .tv_nsec = 1'000'000};
  for (int tries = 0; tries <= kResolve; ++tries) {
    const auto found = find(netlink, *hop, route.next);
    if (!found) return std::unexpected(found.error());
    if (*found) return route;
    if (tries == 0) {
      if (auto asked = have_resolved(to, from); !asked) return std::unexpected(asked.error());
    }
    ::nanosleep(&kPause, nullptr);
  }
  return failed(call,
                "(nobody on " + route.name + " says it has that address, or the router's: is it " +
                    "up? 'ip neigh' shows it)",
                EHOSTUNREACH);
}

}  // namespace wiremark::net::xdp
