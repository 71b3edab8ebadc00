// When the kernel received bytes, in terms of the clock of every other measurement.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>

#include "base/clock.h"

namespace wiremark::net {

/// The kernel stamps what it receives in CLOCK_REALTIME (SO_TIMESTAMPNS of socket(7)), and for a
/// stream tells when the last of the bytes that a read takes had come. CLOCK_MONOTONIC runs at the
/// same pace and differs by an offset, which changes only when somebody sets the time.
class ReceiveClock {
 public:
  /// Bytes that the control message with a timestamp takes.
  static constexpr std::size_t kControl = CMSG_SPACE(sizeof(timespec));

  /// How a result mentions it.
  static constexpr const char* kNote = "timestamps of the kernel come with what it received";

  /// Has the kernel stamp what `fd` receives, and what sockets accepted from it do. It stamps TCP,
  /// and no Unix sockets.
  static void ask(int fd) noexcept;

  /// Reads both clocks; to be called once a turn, before its bytes are read.
  void look() noexcept;
  /// The same with given readings, where `before` and `after` are of CLOCK_MONOTONIC.
  void look(Nanoseconds before, Nanoseconds real, Nanoseconds after) noexcept;

  /// The timestamp among control messages, or 0: there is none, or it cannot be trusted.
  Nanoseconds stamp_of(void* control, std::size_t size) const noexcept;
  /// A moment of CLOCK_REALTIME as now_ns() would have told it; 0 where it cannot be trusted,
  /// because it lies behind `now`, or the time was set since the turn before.
  Nanoseconds monotonic(Nanoseconds real, Nanoseconds now) const noexcept;

 private:
  std::int64_t offset_ = 0;  // From CLOCK_MONOTONIC to CLOCK_REALTIME.
  bool stepped_ = true;      // Somebody may have set the time since a stamp was made.
};

}  // namespace wiremark::net
