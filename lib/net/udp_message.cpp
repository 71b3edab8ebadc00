// What the kernel tells beside a datagram, for the backends: where it came from and went to, and
// how far it may still go.
#include "net/udp_message.h"

#include <netinet/in.h>
#include <netinet/udp.h>

#include <cstring>

#include "base/bytes.h"
#include "net/udp_offload.h"

namespace wiremark::net {

static_assert(kControlRoom >= CMSG_SPACE(sizeof(in6_pktinfo)) + 2 * CMSG_SPACE(sizeof(int)));
static_assert(kControlRoom >= CMSG_SPACE(sizeof(in_pktinfo)) + 2 * CMSG_SPACE(sizeof(int)));

namespace {

Result<> turn_on(int fd, int level, int name, const char* spelled) {
  constexpr int kOn = 1;
  if (::setsockopt(fd, level, name, &kOn, sizeof kOn) != 0) return failed("setsockopt", spelled);
  return {};
}

bool is(const cmsghdr& control, int level, int type) noexcept {
  return control.cmsg_level == level && control.cmsg_type == type;
}

template <class T>
T& data_of(cmsghdr& control) noexcept {
  return *reinterpret_cast<T*>(CMSG_DATA(&control));
}

Bytes host_of(const void* address) noexcept {
  if (static_cast<const sockaddr*>(address)->sa_family == AF_INET6)
    return std::as_bytes(std::span(&static_cast<const sockaddr_in6*>(address)->sin6_addr, 1));
  return std::as_bytes(std::span(&static_cast<const sockaddr_in*>(address)->sin_addr, 1));
}

bool equal(Bytes one, Bytes other) noexcept {
  return one.size() == other.size() && std::memcmp(one.data(), other.data(), one.size()) == 0;
}

// The address it was sent to; empty where the kernel was not asked for it.
Bytes destination_of(const msghdr& datagram) noexcept {
  auto& message = const_cast<msghdr&>(datagram);
  for (cmsghdr* control = CMSG_FIRSTHDR(&message); control;
       control = CMSG_NXTHDR(&message, control)) {
    if (is(*control, IPPROTO_IP, IP_PKTINFO))
      return std::as_bytes(std::span(&data_of<in_pktinfo>(*control).ipi_addr, 1));
    if (is(*control, IPPROTO_IPV6, IPV6_PKTINFO))
      return std::as_bytes(std::span(&data_of<in6_pktinfo>(*control).ipi6_addr, 1));
  }
  return {};
}

bool is(const Address& own, const msghdr& datagram) noexcept {
  const Bytes host = own.is_any() ? destination_of(datagram) : host_of(own.data());
  return equal(host, host_of(datagram.msg_name));
}

// Makes a control message of the datagram one of its answer. The route decides the interface,
// except for link-local addresses, which mean nothing without it. False when no hop is left.
bool turn_round(cmsghdr& control) noexcept {
  if (is(control, IPPROTO_IP, IP_TTL) || is(control, IPPROTO_IPV6, IPV6_HOPLIMIT))
    return --data_of<int>(control) > 0;
  if (is(control, IPPROTO_IP, IP_PKTINFO)) {
    data_of<in_pktinfo>(control).ipi_ifindex = 0;
  } else if (is(control, IPPROTO_IPV6, IPV6_PKTINFO)) {
    auto& info = data_of<in6_pktinfo>(control);
    if (!IN6_IS_ADDR_LINKLOCAL(&info.ipi6_addr)) info.ipi6_ifindex = 0;
  } else if (is(control, IPPROTO_UDP, UDP_GRO)) {
    make_segment(control, static_cast<std::uint16_t>(data_of<int>(control)));
  }
  return true;
}

bool turn_all_round(msghdr& datagram) noexcept {
  for (cmsghdr* control = CMSG_FIRSTHDR(&datagram); control;
       control = CMSG_NXTHDR(&datagram, control)) {
    if (!turn_round(*control)) return false;
  }
  return true;
}

}  // namespace

// A datagram of IPv4 may come to a socket of IPv6, with a TTL in place of a hop limit.
Result<> tell_way(int fd, const Address& bound) {
  const bool ipv6 = bound.family() == AF_INET6;
  auto told = turn_on(fd, IPPROTO_IP, IP_RECVTTL, "IP_RECVTTL");
  if (told && ipv6) told = turn_on(fd, IPPROTO_IPV6, IPV6_RECVHOPLIMIT, "IPV6_RECVHOPLIMIT");
  if (!told || !bound.is_any()) return told;
  if (ipv6) return turn_on(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, "IPV6_RECVPKTINFO");
  return turn_on(fd, IPPROTO_IP, IP_PKTINFO, "IP_PKTINFO");
}

Answerable::Answerable() noexcept {
  for (std::uint16_t port = 0; port < kReservedPorts; ++port) suspect_.set(port);
}

void Answerable::add_own(const Address& bound) {
  own_.push_back({bound.port(), bound});
  suspect_.set(bound.port());
}

bool Answerable::is_own(const msghdr& datagram, std::uint16_t port) const noexcept {
  for (const Own& own : own_)
    if (own.port == port && is(own.address, datagram)) return true;
  return false;
}

bool Answerable::prepare_closely(msghdr& datagram, std::uint16_t port) const noexcept {
  return port >= kReservedPorts && !is_own(datagram, port) && turn_all_round(datagram);
}

}  // namespace wiremark::net
