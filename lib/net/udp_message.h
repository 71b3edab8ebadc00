// What the kernel tells beside a datagram, for the backends: where it came from and went to, and
// how far it may still go.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "net/address.h"

namespace wiremark::net {

/// Room for whatever a kernel delivers: IPv6 does not count its header, and carries 65,527.
inline constexpr std::size_t kDatagramRoom = 64 << 10;
/// Room for the address a datagram was sent to, as IP_PKTINFO (ip(7)) or IPV6_PKTINFO (ipv6(7)),
/// and for its TTL or hop limit.
inline constexpr std::size_t kControlRoom = CMSG_SPACE(20) + CMSG_SPACE(sizeof(int));

/// Makes the kernel tell that of each datagram of a bound socket, for Answerable.
Result<> tell_way(int fd, const Address& bound);

/// Keeps answers from going round for ever. A datagram says by itself where its answer goes, and
/// whoever answers everything can be set upon another who does, or upon itself, with one.
class Answerable {
 public:
  /// An address of our own. Where it is bound to all addresses, an own one is known by the
  /// datagram: it claims to come from where it went to.
  void add_own(const Address& bound) { own_.push_back(bound); }

  /// Makes what came beside a datagram into what its answer is sent with: from the address that was
  /// asked, and with one hop fewer than the datagram had left, so that two servers like this one
  /// have answered each other 255 times at most. False where there is to be no answer: no hop is
  /// left; it comes from an address of our own; or from a port below 1,024, where echo (7), daytime
  /// (13), quote (17), chargen (19) and time (37) answer everything (inetd(8) refuses the same).
  bool prepare(msghdr& datagram) const noexcept;

 private:
  bool is_own(const msghdr& datagram, std::uint16_t port) const noexcept;

  std::vector<Address> own_;
};

}  // namespace wiremark::net
