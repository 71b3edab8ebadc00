// Which datagrams are answered, and with which headers; without a kernel.
#include "net/udp_message.h"

#include <doctest/doctest.h>
#include <netinet/in.h>

#include <cstring>
#include <optional>

using namespace wiremark;
using namespace wiremark::net;

namespace {

/// A datagram as the kernel hands it over: from `from`, to the host of `to` where it was told.
class Came {
 public:
  Came(const std::string& from, int hops, const std::string& to = "")
      : from_(*Address::parse(from)) {
    const bool ipv6 = from_.family() == AF_INET6;
    header.msg_name = const_cast<sockaddr*>(from_.data());
    header.msg_namelen = from_.size();
    header.msg_control = room_;
    header.msg_controllen = sizeof room_;
    cmsghdr* control = CMSG_FIRSTHDR(&header);
    if (!to.empty() && !ipv6) {
      in_pktinfo info{.ipi_ifindex = 3, .ipi_spec_dst = {}, .ipi_addr = {}};
      const Address host = *Address::parse_host(to);
      info.ipi_addr = info.ipi_spec_dst =
          reinterpret_cast<const sockaddr_in*>(host.data())->sin_addr;
      control = put(control, IPPROTO_IP, IP_PKTINFO, info);
    } else if (!to.empty()) {
      in6_pktinfo info{.ipi6_addr = {}, .ipi6_ifindex = 3};
      const Address host = *Address::parse_host(to);
      info.ipi6_addr = reinterpret_cast<const sockaddr_in6*>(host.data())->sin6_addr;
      control = put(control, IPPROTO_IPV6, IPV6_PKTINFO, info);
    }
    put(control, ipv6 ? IPPROTO_IPV6 : IPPROTO_IP, ipv6 ? IPV6_HOPLIMIT : IP_TTL, hops);
    header.msg_controllen = used_;
  }

  /// The value of the control message of that kind.
  template <class T>
  T value(int level, int type) {
    for (cmsghdr* control = CMSG_FIRSTHDR(&header); control;
         control = CMSG_NXTHDR(&header, control)) {
      if (control->cmsg_level != level || control->cmsg_type != type) continue;
      T value;
      std::memcpy(&value, CMSG_DATA(control), sizeof value);
      return value;
    }
    FAIL("no such control message");
    return {};
  }

  msghdr header{};

 private:
  template <class T>
  cmsghdr* put(cmsghdr* control, int level, int type, const T& value) {
    control->cmsg_level = level;
    control->cmsg_type = type;
    control->cmsg_len = CMSG_LEN(sizeof value);
    std::memcpy(CMSG_DATA(control), &value, sizeof value);
    used_ += CMSG_SPACE(sizeof value);
    return CMSG_NXTHDR(&header, control);
  }

  Address from_;
  alignas(cmsghdr) std::byte room_[kControlRoom]{};
  std::size_t used_ = 0;
};

bool answered(const std::string& own, const std::string& from, const std::string& to = "") {
  Answerable answerable;
  answerable.add_own(*Address::parse("udp:127.0.0.9:9999"));
  answerable.add_own(*Address::parse(own));
  Came came(from, 64, to);
  return answerable.prepare(came.header);
}

}  // namespace

TEST_CASE("an answer has one hop fewer, until none is left") {
  const Answerable answerable;
  for (const int hops : {255, 64, 3, 2}) {
    Came ipv4("10.0.0.1:5000", hops), ipv6("[fd00::1]:5000", hops);
    CHECK(answerable.prepare(ipv4.header));
    CHECK(answerable.prepare(ipv6.header));
    CHECK(ipv4.value<int>(IPPROTO_IP, IP_TTL) == hops - 1);
    CHECK(ipv6.value<int>(IPPROTO_IPV6, IPV6_HOPLIMIT) == hops - 1);
  }
  Came ipv4("10.0.0.1:5000", 1), ipv6("[fd00::1]:5000", 1);
  CHECK_FALSE(answerable.prepare(ipv4.header));
  CHECK_FALSE(answerable.prepare(ipv6.header));
}

TEST_CASE("ports below 1,024 get no answer") {
  for (const int port : {0, 1, 7, 13, 17, 19, 37, 53, 1'023}) {
    CHECK_FALSE(answered("udp:127.0.0.1:7007", "10.0.0.1:" + std::to_string(port)));
    CHECK_FALSE(answered("udp:[::1]:7007", "[fd00::1]:" + std::to_string(port)));
  }
  CHECK(answered("udp:127.0.0.1:7007", "10.0.0.1:1024"));
  CHECK(answered("udp:127.0.0.1:7007", "10.0.0.1:65535"));
}

TEST_CASE("an own address gets no answer, and the same port of another does") {
  for (const std::string own : {"udp:127.0.0.1:7007", "udp:0.0.0.0:7007"}) {
    CAPTURE(own);
    CHECK_FALSE(answered(own, "127.0.0.1:7007", "127.0.0.1"));
    CHECK(answered(own, "127.0.0.2:7007", "127.0.0.1"));
    CHECK(answered(own, "127.0.0.1:7008", "127.0.0.1"));
  }
  for (const std::string own : {"udp:[::1]:7007", "udp:[::]:7007"}) {
    CAPTURE(own);
    CHECK_FALSE(answered(own, "[::1]:7007", "::1"));
    CHECK(answered(own, "[fd00::1]:7007", "::1"));
    CHECK(answered(own, "[::1]:7008", "::1"));
  }
  CHECK_FALSE(answered("udp:127.0.0.1:7007", "127.0.0.9:9999"));
  CHECK(answered("udp:[::1]:7007", "127.0.0.1:7007"));
}

TEST_CASE("an answer leaves from the address that was asked, by whichever interface leads back") {
  const Answerable answerable;
  Came ipv4("10.0.0.1:5000", 64, "10.0.0.2"), ipv6("[fd00::1]:5000", 64, "fd00::2"),
      local("[fe80::1]:5000", 64, "fe80::2");
  for (Came* came : {&ipv4, &ipv6, &local}) REQUIRE(answerable.prepare(came->header));
  CHECK(ipv4.value<in_pktinfo>(IPPROTO_IP, IP_PKTINFO).ipi_ifindex == 0);
  CHECK(ipv6.value<in6_pktinfo>(IPPROTO_IPV6, IPV6_PKTINFO).ipi6_ifindex == 0);
  CHECK(local.value<in6_pktinfo>(IPPROTO_IPV6, IPV6_PKTINFO).ipi6_ifindex == 3);
}
