// Lists of sockets, as the kernel tells them over netlink (sock_diag(7)).
#pragma once

#include <linux/netlink.h>

#include <cstdint>
#include <functional>

namespace wiremark::measure {

/// The kernel's states of a socket of any family (net/tcp_states.h); one of UDP that is connected
/// is established.
inline constexpr std::uint32_t kEstablished = 1, kFinWait1 = 4, kFinWait2 = 5, kCloseWait = 8,
                               kListening = 10;

/// As a request asks for several.
constexpr std::uint32_t among(std::uint32_t state) { return 1U << state; }

/// Sends `request`, a header with its body behind it, and gives every socket of the answer to
/// `take`, one message each. False where the kernel does not tell: it may be built without, and
/// containers may lack it.
bool list_sockets(const nlmsghdr& request, const std::function<void(const nlmsghdr&)>& take);

}  // namespace wiremark::measure
