// What the kernel tells beside a datagram, for the backends: where it came from and went to, and
// how far it may still go.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "net/address.h"

namespace wiremark::net {

/// Room for the longest datagram: IPv6 does not count its own header, and carries 65,527 bytes.
inline constexpr std::size_t kDatagramRoom = 64 << 10;
/// Room for the address a datagram was sent to, as IP_PKTINFO (ip(7)) or IPV6_PKTINFO (ipv6(7)),
/// for its TTL or hop limit, and for the size of those that came together (UDP_GRO).
inline constexpr std::size_t kControlRoom = CMSG_SPACE(20) + 2 * CMSG_SPACE(sizeof(int));

/// What the kernel tells of most datagrams: the hops, and nothing else.
inline constexpr std::size_t kHopsAlone = CMSG_SPACE(sizeof(int));

/// Makes the kernel report both for each datagram of a bound socket, as Answerable needs.
Result<> tell_way(int fd, const Address& bound);

/// Keeps two servers from answering each other for ever. Anybody can forge the sender of a
/// datagram, so one datagram could set an echo server upon another, or upon itself.
class Answerable {
 public:
  Answerable() noexcept;

  /// Adds an address of our own. If it stands for all addresses, a datagram that claims to come
  /// from where it was sent to is taken for our own.
  void add_own(const Address& bound);

  /// Turns the header of a datagram into the one its answer is sent with: from the address it was
  /// sent to, and with one hop fewer than it had left, so that two servers like this one answer
  /// each other 255 times at most. False where no answer may be sent: no hop is left; it comes from
  /// an address of our own; or from a port below 1,024, where echo (7), daytime (13), quote (17),
  /// chargen (19) and time (37) answer everything (inetd(8) refuses the same).
  /// Datagrams that came together came the same way, and their answers leave together too:
  /// segment_of() (udp_offload.h) tells.
  bool prepare(msghdr& datagram) const noexcept {
    // sockaddr_in6 has its port at the same offset as sockaddr_in.
    const std::uint16_t port = ntohs(static_cast<const sockaddr_in*>(datagram.msg_name)->sin_port);
    // The usual one comes from any other port, and with its TTL or hop limit alone.
    if (suspect_[port] || datagram.msg_controllen != kHopsAlone) [[unlikely]]
      return prepare_closely(datagram, port);
    int& hops = *reinterpret_cast<int*>(CMSG_DATA(static_cast<cmsghdr*>(datagram.msg_control)));
    return --hops > 0;
  }

 private:
  static constexpr std::uint16_t kReservedPorts = 1'024;

  struct Own {
    std::uint16_t port;
    Address address;
  };

  bool prepare_closely(msghdr& datagram, std::uint16_t port) const noexcept;
  bool is_own(const msghdr& datagram, std::uint16_t port) const noexcept;

  std::vector<Own> own_;
  std::bitset<65'536> suspect_;  // Ports that are our own or reserved.
};

}  // namespace wiremark::net
