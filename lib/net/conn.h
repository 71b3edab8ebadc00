// One connection: what it owes the handler and what it owes the peer.
// A reactor owns it, on the reactor's thread; a handler borrows it from on_open to on_close.
#pragma once

#include <cstdint>

#include "base/buffer.h"

namespace wiremark::net {

/// One cache line, so that an idle connection costs 64 bytes of user memory and nothing else.
struct alignas(64) Conn {
  enum class State : std::uint8_t {
    free,        ///< In the pool.
    connecting,  ///< Not yet announced to the handler.
    open,
    finishing,  ///< Nothing more is read; closes when everything appended has left.
    closing,    ///< Dead; on_close follows at the end of a turn.
  };

  // For handlers.

  /// Copies bytes behind everything sent before.
  void append(Bytes bytes) {
    settle();
    out.append(bytes);
  }

  /// Sends bytes without a copy where the backend can. They must lie in the bytes just received, or
  /// stay as they are for as long as the connection: io_uring learns only in the next turn what the
  /// kernel has not taken, and copies it then.
  void lend(Bytes bytes) { lend(bytes, false); }

  /// Sends bytes that need to stay as they are only until the reactor's flush(), which follows
  /// on_open and on_data by itself. Who overwrites them before calls settle() first.
  void lend_until_flush(Bytes bytes) { lend(bytes, true); }

  /// Closes once everything appended has left; nothing more is read.
  void finish() noexcept {
    if (state == State::open) state = State::finishing;
  }

  /// Stops reading, because the handler has no room for more. What it does not consume waits with
  /// the connection until the reactor's resume(); a few more deliveries may come before that.
  void rest() noexcept { resting = true; }

  /// Bytes appended or lent that the kernel has not taken yet.
  std::size_t unsent() const noexcept { return out.size() + flight.size() + lent_size; }

  void* user = nullptr;  ///< The handler's own.
  int fd = -1;           ///< -1 where the socket has none: see slot.

  // For reactors.

  State state = State::free;
  bool reading : 1 = false;      ///< epoll: more may be readable. io_uring: a receive is armed.
  bool paused : 1 = false;       ///< Over its output limit: reading stops until it drains.
  bool resting : 1 = false;      ///< The handler has no room: reading stops until it resumes.
  bool queued : 1 = false;       ///< On one of the reactor's lists of work for the next turn.
  bool datagram : 1 = false;     ///< Over UDP: each delivery is one datagram, and nothing ends it.
  bool brief : 1 = false;        ///< What is lent stays as it is only until flush().
  std::uint16_t operations = 0;  ///< io_uring: completions still to come; freed at zero.
  int error = 0;                 ///< closing: the errno for on_close, 0 for an orderly end.
  std::uint32_t turn = 0;        ///< io_uring: the turn in which a send was last queued.
  std::uint32_t lent_size = 0;
  int slot = -1;  ///< io_uring: the place in the ring's own table, for a socket without an fd.
  const std::byte* lent_data = nullptr;
  Buffer out;     ///< Appended, not yet handed to the kernel.
  Buffer flight;  ///< io_uring: being sent; does not move until its completion.
  Buffer stash;   ///< Received, not yet consumed by the handler.

  Bytes lent() const noexcept { return {lent_data, lent_size}; }

  /// Copies what is lent, because its memory is about to go.
  void settle() {
    if (lent_size == 0) return;
    out.append(lent());
    lent_size = 0;
  }

  void lend(Bytes bytes, bool until_flush) {
    if (!out.empty() || !flight.empty() || lent_size > 0) return append(bytes);
    lent_data = bytes.data();
    lent_size = static_cast<std::uint32_t>(bytes.size());
    brief = until_flush;
  }

  bool alive() const noexcept { return state == State::open || state == State::finishing; }
};

static_assert(sizeof(Conn) == 64);

}  // namespace wiremark::net
