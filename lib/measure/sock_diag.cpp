// Lists of sockets, as the kernel tells them over netlink (sock_diag(7)).
#include "measure/sock_diag.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>

#include "base/fd.h"

namespace wiremark::measure {

bool list_sockets(std::uint16_t type, std::span<const std::byte> body,
                  const std::function<void(const nlmsghdr&)>& take) {
  const Fd netlink(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!netlink) return false;
  nlmsghdr head{.nlmsg_len = static_cast<std::uint32_t>(NLMSG_LENGTH(body.size())),
                .nlmsg_type = type,
                .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
                .nlmsg_seq = 0,
                .nlmsg_pid = 0};
  iovec parts[] = {{&head, sizeof head}, {const_cast<std::byte*>(body.data()), body.size()}};
  if (::writev(netlink.get(), parts, 2) != static_cast<ssize_t>(head.nlmsg_len)) return false;
  alignas(nlmsghdr) std::array<std::byte, 32768> answer;
  for (;;) {
    const ssize_t got = ::recv(netlink.get(), answer.data(), answer.size(), 0);
    if (got <= 0) return false;
    auto left = static_cast<unsigned>(got);
    for (auto* one = reinterpret_cast<nlmsghdr*>(answer.data()); NLMSG_OK(one, left);
         one = NLMSG_NEXT(one, left)) {
      if (one->nlmsg_type == NLMSG_DONE) return true;
      if (one->nlmsg_type != type) return false;
      take(*one);
    }
  }
}

void for_each_attribute(const nlmsghdr& message, std::size_t fixed,
                        const std::function<void(const rtattr&)>& take) {
  const auto* const first =
      static_cast<const std::byte*>(NLMSG_DATA(&message)) + NLMSG_ALIGN(fixed);
  int left = static_cast<int>(NLMSG_PAYLOAD(&message, NLMSG_ALIGN(fixed)));
  for (auto* one = reinterpret_cast<const rtattr*>(first); RTA_OK(one, left);
       one = RTA_NEXT(one, left))
    take(*one);
}

}  // namespace wiremark::measure
