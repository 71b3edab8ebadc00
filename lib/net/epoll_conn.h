// A connection as the epoll reactor keeps it.
#pragma once

#include "net/conn.h"

namespace wiremark::net {

/// One cache line, so that an idle connection costs 64 bytes of user memory and nothing else.
struct alignas(64) EpollConn : Conn {
  bool moves = false;  ///< Its last read was large: an echo is moved inside the kernel.

  /// Bytes appended or lent that the kernel has not taken yet.
  std::size_t unsent() const noexcept { return out.size() + lent_size; }
  /// Bytes of memory in its buffers.
  std::size_t held() const noexcept { return out.held() + stash.held(); }
};

static_assert(sizeof(EpollConn) == 64);

}  // namespace wiremark::net
