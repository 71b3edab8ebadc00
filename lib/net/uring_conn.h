// A connection as the io_uring reactor keeps it, and what its completions are told apart by.
#pragma once

#include <liburing.h>

#include <cstdint>

#include "net/conn.h"

namespace wiremark::net {

/// One cache line, so that an idle connection costs 64 bytes of user memory and nothing else.
struct alignas(64) UringConn : Conn {
  std::uint8_t wide : 1 = 0;          ///< Long messages come: a receive may fill several buffers.
  std::uint8_t moves : 6 = 0;         ///< They are moved instead: until so many of them were short.
  std::uint8_t nonblocking : 1 = 0;   ///< The socket is, as a move needs it and io_uring does not.
  std::uint16_t operations : 14 = 0;  ///< Completions still to come; freed at zero.
  std::uint16_t doubts : 2 = 0;       ///< Rechecks until a silent receive is armed again.
  Buffer flight;                      ///< Being sent; does not move until its completion.
  std::uint32_t turn = 0;             ///< The turn in which a send was last queued.
  int slot = -1;  ///< Its index in the ring's own table, for a socket without a descriptor.

  /// Bytes appended or lent that the kernel has not taken yet.
  std::size_t unsent() const noexcept { return out.size() + flight.size() + lent_size; }
  /// Bytes of memory in its buffers.
  std::size_t held() const noexcept { return out.held() + flight.held() + stash.held(); }

  /// Whether what comes is to be read.
  bool reads_on() const noexcept { return state == State::open && !over_limit && !paused; }

  /// How a submission entry names the socket.
  int file() const noexcept { return slot >= 0 ? slot : fd; }
  /// Call it after the entry is prepared, since preparing clears the flags.
  void mark_file(io_uring_sqe& sqe) const noexcept {
    if (slot >= 0) sqe.flags |= IOSQE_FIXED_FILE;
  }
};

static_assert(sizeof(UringConn) == 64);

/// What a completion belongs to: the low bits of its user data. The other bits are a pointer to a
/// connection, or the number of a send.
enum class UringOp : std::uint64_t {
  accept,
  receive,
  send,
  lent_send,
  zero_copy,
  connect,
  ignored,
  datagram
};
inline constexpr std::uint64_t kUringOpMask = 7;

inline std::uint64_t data_of(const UringConn& conn, UringOp op) noexcept {
  return reinterpret_cast<std::uintptr_t>(&conn) | static_cast<std::uint64_t>(op);
}
inline UringConn& conn_of(std::uint64_t data) noexcept {
  return *reinterpret_cast<UringConn*>(data & ~kUringOpMask);
}

}  // namespace wiremark::net
