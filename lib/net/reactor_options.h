// What a reactor is told when it is opened, and what it counts while it runs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/counter.h"
#include "net/uring_options.h"
#include "net/wait.h"

namespace wiremark::net {

/// Long enough not to spin on a full descriptor table, short enough that nobody times out.
inline constexpr Nanoseconds kAcceptRest = 100 * kMillisecond;

struct ReactorOptions {
  WaitPolicy wait;

  /// Accepted connections at most; the next one is closed at once and counted as refused.
  std::size_t max_connections = SIZE_MAX;
  /// Unsent bytes of one connection over which nothing more is read from it, until half has left.
  std::size_t output_limit = 256 << 10;
  /// The kernel tells when it received what is delivered, datagrams excepted: received().
  bool receive_timestamps = false;
  /// Unconsumed bytes of one connection over which it ends with EMSGSIZE.
  std::size_t stash_limit = 2 << 20;

  /// An accepted connection on which no byte moved for this long ends with kEndedIdle, a quarter
  /// later at most; 0: never.
  Nanoseconds idle_timeout = 0;
  /// Bytes of memory that wait with all connections, unsent or unconsumed; over it, those accepted
  /// that hold most end with kEndedForMemory, until an eighth of it is free.
  std::size_t memory_limit = SIZE_MAX;
  /// Bytes of such memory that may stay with the process once connections have let go of it; more
  /// goes back to the system after one to two seconds.
  std::size_t memory_kept = SIZE_MAX;

  /// epoll: bytes asked of one recv(2).
  std::size_t read_size = 64 << 10;
  /// io_uring: receive buffers at most, a power of two up to 32,768; a few are in use until
  /// the kernel runs out, because those stay in cache.
  unsigned buffers = 1024;
  /// io_uring: bytes of one receive buffer.
  std::size_t buffer_size = 16 << 10;
  /// io_uring: a receive that delivered and then is silent for one to two of these is armed again,
  /// which finds a connection whose reset the kernel forgot.
  Nanoseconds recheck_ns = 5 * kSecond;
  /// No wait sleeps longer, so that a loop knows when its process stood still; 0: it may.
  Nanoseconds heartbeat = 0;
  UringOptions uring;
};

/// Written by the reactor's thread, readable from any.
struct ReactorStats {
  Counter turns;         ///< Waits that ended, with or without an event.
  Counter system_calls;  ///< Calls made to move bytes and to wait.
  Counter sleeps;        ///< Waits that were allowed to sleep.
  Counter accepted;
  Counter refused;         ///< Closed at once, over max_connections.
  Counter accept_errors;   ///< EMFILE, ENFILE, ENOBUFS, ENOMEM: accepting rests after each.
  Counter no_descriptors;  ///< Of them, EMFILE: the process has as many files open as it may.
  Counter bytes_in;
  Counter stamped;         ///< Receives of which the kernel told when their last bytes had come.
  Counter unstamped;       ///< Those of which it was asked, and told nothing that can be trusted.
  Counter bytes_out;       ///< Taken by the kernel.
  Counter copied;          ///< Bytes that had to be copied on their way out.
  Counter pauses;          ///< Times reading stopped because a peer did not read.
  Counter out_of_buffers;  ///< io_uring: receives that ended with ENOBUFS.
  Counter rearmed;         ///< io_uring: multishot receives that had to be armed again.
  Counter bundled;         ///< io_uring: buffers that a receive filled beside its last one.
  Counter zero_copy;       ///< io_uring: sends without a copy whose end the kernel has told.
  Counter zero_copy_not;   ///< io_uring: of them, those that it has copied all the same.
  Counter datagrams_in;
  Counter datagrams_out;
  Counter datagrams_unsent;   ///< Dropped, because the kernel did not take them.
  Counter datagrams_refused;  ///< Got no answer, because it could go round for ever: Answerable.

  /// Adds what another thread's reactor counted.
  ReactorStats& operator+=(const ReactorStats& other) noexcept;

  /// What was counted between two copies of the same reactor's.
  friend ReactorStats operator-(const ReactorStats& later, const ReactorStats& earlier) noexcept;
};

}  // namespace wiremark::net
