// Lists of sockets, as the kernel tells them over netlink (sock_diag(7)).
#include "measure/sock_diag.h"

#include <sys/socket.h>

#include <array>
#include <cstddef>

#include "base/fd.h"

namespace wiremark::measure {

bool list_sockets(const nlmsghdr& request, const std::function<void(const nlmsghdr&)>& take) {
  const Fd netlink(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!netlink) return false;
  const auto sent = ::send(netlink.get(), &request, request.nlmsg_len, 0);
  if (sent != static_cast<ssize_t>(request.nlmsg_len)) return false;
  alignas(nlmsghdr) std::array<std::byte, 32768> answer;
  for (;;) {
    const ssize_t got = ::recv(netlink.get(), answer.data(), answer.size(), 0);
    if (got <= 0) return false;
    auto left = static_cast<unsigned>(got);
    for (auto* head = reinterpret_cast<nlmsghdr*>(answer.data()); NLMSG_OK(head, left);
         head = NLMSG_NEXT(head, left)) {
      if (head->nlmsg_type == NLMSG_DONE) return true;
      if (head->nlmsg_type != request.nlmsg_type) return false;
      take(*head);
    }
  }
}

}  // namespace wiremark::measure
