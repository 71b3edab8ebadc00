// One stream connection: what it owes the handler and what it owes the peer. Stable.
// A reactor owns it, on the reactor's thread; a handler borrows it from on_open to on_close.
#pragma once

#include <cstdint>

#include "base/buffer.h"

namespace wiremark::net {

/// Where the bytes are that a handler has given to a connection.
enum class Handed : std::uint8_t {
  all,      ///< The kernel has taken them.
  queued,   ///< They go with the next turn.
  waiting,  ///< The socket has no room for some; an event ends that.
};

/// What every backend needs of a connection. Each backend derives its own type, with what only it
/// needs, and hands out this base.
struct Conn {
  enum class State : std::uint8_t {
    free,        ///< In the pool.
    connecting,  ///< Not yet announced to the handler.
    open,
    finishing,  ///< Nothing more is read; closes when everything appended has left.
    closing,    ///< Over; on_close follows at the end of a turn.
  };

  // For handlers.

  /// Queues a copy of `bytes` behind everything sent before.
  void append(Bytes bytes) {
    copy_lent();
    out.append(bytes);
  }

  /// Sends bytes without a copy where the backend can. They must lie in the bytes just received, or
  /// stay as they are for as long as the connection: io_uring learns only in the next turn what the
  /// kernel has not taken, and copies it then.
  void lend(Bytes bytes) { lend(bytes, false); }

  /// Sends bytes that need to stay as they are only until the reactor's flush(), which follows
  /// on_open and on_data by itself. To overwrite them sooner, call copy_lent() first.
  void lend_until_flush(Bytes bytes) { lend(bytes, true); }

  /// Copies what is lent, because its memory is about to be reused.
  void copy_lent() {
    if (lent_size == 0) return;
    out.append(lent());
    lent_size = 0;
  }

  /// Closes once everything appended has left, with `why` for on_close; nothing more is read.
  void finish(int why = 0) noexcept {
    if (state != State::open) return;
    state = State::finishing;
    error = static_cast<std::int16_t>(why);
  }

  /// Stops reading, because the handler has no room for more. What it does not consume waits in the
  /// stash until the reactor's resume(). A few deliveries that are under way may still come.
  void pause() noexcept { paused = true; }

  bool alive() const noexcept { return state == State::open || state == State::finishing; }

  void* user = nullptr;  ///< For the handler.

  // For reactors.

  const std::byte* lent_data = nullptr;
  Buffer out;    ///< Appended, not yet handed to the kernel.
  Buffer stash;  ///< Received, not yet consumed by the handler.
  int fd = -1;   ///< -1 where the socket has none.
  std::uint32_t lent_size = 0;
  std::int16_t error = 0;  ///< The errno for on_close, 0 for an orderly end.
  State state = State::free;
  bool reading : 1 = false;      ///< epoll: more may be readable. io_uring: a receive is armed.
  bool over_limit : 1 = false;   ///< More is unsent than allowed: reading stops until it drains.
  bool paused : 1 = false;       ///< By the handler: nothing is read until resume().
  bool resumed : 1 = false;      ///< The stash is to be delivered in the next turn.
  bool queued : 1 = false;       ///< On one of the reactor's lists of work for the next turn.
  bool until_flush : 1 = false;  ///< Lent bytes stay as they are only until flush().
  bool sending : 1 = false;      ///< The backend still sends earlier bytes from its own memory.
  bool accepted : 1 = false;     ///< Not connected by us: Upkeep may end it.
  std::uint8_t idle = 0;         ///< Sweeps of Upkeep since bytes moved.

  Bytes lent() const noexcept { return {lent_data, lent_size}; }

 private:
  // Inlined, because the call would cost more than the work.
  [[gnu::always_inline]] void lend(Bytes bytes, bool brief) {
    if (!out.empty() || sending || lent_size > 0) return append(bytes);
    lent_data = bytes.data();
    lent_size = static_cast<std::uint32_t>(bytes.size());
    until_flush = brief;
  }
};

}  // namespace wiremark::net
