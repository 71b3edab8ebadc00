// What the kernel tells beside a datagram, for the backends: where it came from and went to.
#include "net/udp_message.h"

#include <netinet/in.h>

namespace wiremark::net {

static_assert(kControlRoom >= CMSG_SPACE(sizeof(in6_pktinfo)));
static_assert(kControlRoom >= CMSG_SPACE(sizeof(in_pktinfo)));

void make_source(msghdr& answer) noexcept {
  cmsghdr* control = CMSG_FIRSTHDR(&answer);
  if (!control) return;
  if (control->cmsg_level == IPPROTO_IP && control->cmsg_type == IP_PKTINFO) {
    reinterpret_cast<in_pktinfo*>(CMSG_DATA(control))->ipi_ifindex = 0;
  } else if (control->cmsg_level == IPPROTO_IPV6 && control->cmsg_type == IPV6_PKTINFO) {
    auto& info = *reinterpret_cast<in6_pktinfo*>(CMSG_DATA(control));
    if (!IN6_IS_ADDR_LINKLOCAL(&info.ipi6_addr)) info.ipi6_ifindex = 0;
  }
}

}  // namespace wiremark::net
