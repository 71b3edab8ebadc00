// Lists of sockets, as the kernel tells them over netlink (sock_diag(7)).
#pragma once

#include <linux/rtnetlink.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace wiremark::measure {

/// The kernel's states of a socket of any family (net/tcp_states.h); one of UDP that is connected
/// is established.
inline constexpr std::uint32_t kEstablished = 1, kFinWait1 = 4, kFinWait2 = 5, kCloseWait = 8,
                               kListening = 10;

/// As a request asks for several.
constexpr std::uint32_t among(std::uint32_t state) { return 1U << state; }

/// Asks for a list: `body` is what stands behind the header of a request of that type. Gives every
/// socket of the answer to `take`, one message each. False where the kernel does not tell: it may
/// be built without, and containers may lack it.
bool list_sockets(std::uint16_t type, std::span<const std::byte> body,
                  const std::function<void(const nlmsghdr&)>& take);

/// Gives each attribute of a socket's message to `take`; they stand behind its first `fixed` bytes.
void for_each_attribute(const nlmsghdr& message, std::size_t fixed,
                        const std::function<void(const rtattr&)>& take);

}  // namespace wiremark::measure
