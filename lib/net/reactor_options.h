// What a reactor is told when it is opened, and what it counts while it runs. Stable.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/counter.h"
#include "net/uring_options.h"
#include "net/wait.h"
#include "net/xdp/mode.h"

namespace wiremark::net {

/// After an accept that failed for want of descriptors or memory, accepting pauses this long: not
/// so short that the loop spins, not so long that a client times out.
inline constexpr Nanoseconds kAcceptPause = 100 * kMillisecond;

/// Clients may be gone before they are accepted, and a signal may interrupt. So many in a row,
/// without one that was accepted, are an accept that fails for good: it pauses too.
inline constexpr unsigned kAcceptsInVain = 64;

/// The heartbeat of a loop that watches itself: a standstill of its process is noticed if it is
/// longer, and a hundred wake-ups a second cost nothing.
inline constexpr Nanoseconds kHeartbeat = 10 * kMillisecond;

struct ReactorOptions {
  WaitPolicy wait;

  /// The most accepted connections; the next one is closed at once and counted as refused.
  std::size_t max_connections = SIZE_MAX;
  /// With more unsent bytes than this a connection is not read until half of them have left.
  std::size_t output_limit = 256 << 10;
  /// Ask the kernel when it received the bytes of streams: received() tells.
  bool receive_timestamps = false;
  /// With more unconsumed bytes than this a connection ends with EMSGSIZE.
  std::size_t stash_limit = 2 << 20;

  /// An accepted connection on which no byte moved for this long ends with kEndedIdle, at most a
  /// quarter of it later; 0: never.
  Nanoseconds idle_timeout = 0;
  /// The most memory for bytes that are unsent or unconsumed, in all connections together. Above
  /// it, the accepted connections that hold most end with kEndedForMemory, until an eighth of it is
  /// free.
  std::size_t memory_limit = SIZE_MAX;
  /// How much of that memory the process may keep after connections have let go of it; more goes
  /// back to the system after one to two seconds.
  std::size_t memory_kept = SIZE_MAX;

  /// epoll: the most bytes of the first recv(2) of a connection in a turn. Where that was full, the
  /// next ones ask for up to 8 times as many, but not for over 512 KiB.
  std::size_t read_size = 64 << 10;
  /// io_uring: the most receive buffers, a power of two up to 32,768. Only a few are in use until
  /// the kernel runs out of them, because those stay in cache.
  unsigned buffers = 1024;
  /// io_uring: bytes of one receive buffer. A reply of 16 KiB with a head costs netload 0.92 of
  /// what it costs with 16 KiB, which take two of them; small messages cost the same.
  std::size_t buffer_size = 32 << 10;
  /// io_uring: a receive that delivered and is then silent for one to two times this long is armed
  /// again, which finds a connection whose reset the kernel forgot.
  Nanoseconds recheck_ns = 5 * kSecond;
  /// The longest sleep, so that a loop notices when its process stood still; 0: no limit.
  Nanoseconds heartbeat = 0;
  UringOptions uring;
  /// UDP: datagrams to and from one peer pass the kernel together (UDP_SEGMENT, UDP_GRO).
  bool udp_offload = true;
  XdpMode xdp = XdpMode::automatic;
};

/// Written by the reactor's thread, readable from any.
struct ReactorStats {
  Counter turns;         ///< Waits that ended, with or without an event.
  Counter system_calls;  ///< Calls made to move bytes and to wait.
  Counter sleeps;        ///< Waits that were allowed to sleep.
  Counter accepted;
  Counter refused;  ///< Closed at once, over max_connections.
  Counter
      accept_errors;  ///< EMFILE, ENFILE, ENOBUFS, ENOMEM, or kAcceptsInVain: it pauses after each.
  Counter no_descriptors;  ///< Those of them that were EMFILE: too many open files of this process.
  Counter bytes_in;
  Counter stamped;         ///< Receives with a time stamp from the kernel.
  Counter unstamped;       ///< Receives that should have had one, and had none that can be trusted.
  Counter bytes_out;       ///< Taken by the kernel.
  Counter copied;          ///< Bytes that had to be copied on their way out.
  Counter moved;           ///< Bytes echoed inside the kernel.
  Counter pauses;          ///< Times reading stopped because a peer did not read.
  Counter out_of_buffers;  ///< io_uring: receives that ended with ENOBUFS.
  Counter rearmed;         ///< io_uring: multishot receives that had to be armed again.
  Counter bundled;         ///< io_uring: buffers that receives filled beyond one each.
  Counter zero_copy;       ///< io_uring: sends without a copy that the kernel has reported as done.
  Counter zero_copy_not;   ///< io_uring: those of them that the kernel copied nevertheless.
  Counter datagrams_in;
  Counter datagrams_out;
  Counter gathered_in;       ///< Datagrams that came with another, beyond one for each receive.
  Counter gathered_out;      ///< Datagrams that left with another, beyond one for each send.
  Counter datagrams_unsent;  ///< Dropped, because the kernel did not take them.
  Counter
      datagrams_refused;  ///< Not answered, because answers could go on for ever: see Answerable.

  /// Adds what another thread's reactor counted.
  ReactorStats& operator+=(const ReactorStats& other) noexcept;

  /// What one reactor counted between two copies of its counts.
  friend ReactorStats operator-(const ReactorStats& later, const ReactorStats& earlier) noexcept;
};

}  // namespace wiremark::net
