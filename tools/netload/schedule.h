// When each message of an open-loop load is planned to be sent.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/clock.h"

namespace wiremark::tools {

/// Message `sequence` of connection `c` is planned at start + (sequence * connections + c) / total
/// rate: every connection sends at its own rate, and all together they are evenly spaced. It is
/// arithmetic, so the plan of any length takes no memory and is never out of date.
class Schedule {
 public:
  /// `rate_hz` is messages per second of one connection, over 0.
  Schedule(Nanoseconds start, std::size_t connections, double rate_hz) noexcept
      : start_(start),
        connections_(connections),
        step_ns_(static_cast<double>(kSecond) / (rate_hz * static_cast<double>(connections))) {}

  Nanoseconds at(std::uint64_t connection, std::uint64_t sequence) const noexcept {
    const auto place = static_cast<double>(sequence * connections_ + connection);
    return start_ + static_cast<Nanoseconds>(place * step_ns_);
  }

  /// Messages of all connections planned before start + `length`.
  std::uint64_t planned_within(Nanoseconds length) const noexcept {
    const double places = static_cast<double>(length) / step_ns_;
    // 3/s for 10 s are 30 messages, though the quotient of the rounded step is 30.000000000000004.
    const double whole = std::round(places);
    const bool is_whole = std::abs(places - whole) < kRounding * places;
    return static_cast<std::uint64_t>(is_whole ? whole : std::ceil(places));
  }

 private:
  // Over the few units in the last place, 2e-16 each, that rate, step and quotient are rounded by.
  static constexpr double kRounding = 1e-14;

  Nanoseconds start_;
  std::uint64_t connections_;
  double step_ns_;
};

}  // namespace wiremark::tools
