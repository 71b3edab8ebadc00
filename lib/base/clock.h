// The one clock of every measurement: CLOCK_MONOTONIC in nanoseconds. Stable.
#pragma once

#include <time.h>

#include <cstdint>

namespace wiremark {

/// A moment or a span in nanoseconds of CLOCK_MONOTONIC (clock_gettime(2)); never goes back.
using Nanoseconds = std::uint64_t;

inline constexpr Nanoseconds kMicrosecond = 1'000;
inline constexpr Nanoseconds kMillisecond = 1'000'000;
inline constexpr Nanoseconds kSecond = 1'000'000'000;

/// A deadline that is never reached.
inline constexpr Nanoseconds kNever = UINT64_MAX;

inline Nanoseconds now_ns() noexcept {
  timespec now;
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<Nanoseconds>(now.tv_sec) * kSecond + static_cast<Nanoseconds>(now.tv_nsec);
}

/// A span as system calls take it: timespec, or io_uring's own __kernel_timespec.
template <class Time = timespec>
constexpr Time to_timespec(Nanoseconds span) noexcept {
  if (span < kSecond) return {.tv_sec = 0, .tv_nsec = static_cast<decltype(Time::tv_nsec)>(span)};
  return {.tv_sec = static_cast<decltype(Time::tv_sec)>(span / kSecond),
          .tv_nsec = static_cast<decltype(Time::tv_nsec)>(span % kSecond)};
}

}  // namespace wiremark
