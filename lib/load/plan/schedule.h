// When each message of an open-loop load is planned to be sent.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "base/mix.h"

namespace wiremark::load {

enum class Arrival { even, poisson };

/// The plan of a whole run, fixed before its first message and the same for the same seed. The
/// messages of all connections are numbered by time: place p is message p / connections of
/// connection p % connections. So all connections send at the same rate, one after the other.
///
/// Even arrivals are evenly spaced. Poisson arrivals are a Poisson process of the total rate: the
/// gaps between places are independent and exponential, as those of many independent users are.
/// Times are computed, not stored, but for every 16th of Poisson arrivals: half a byte a message.
class Schedule {
 public:
  /// `rate_hz` is messages per second of one connection, above 0. The plan ends at `length`, or
  /// after `places_max` messages if that is sooner.
  Schedule(std::size_t connections, double rate_hz, Nanoseconds length, std::uint64_t places_max)
      : connections_(connections),
        step_ns_(static_cast<double>(kSecond) / (rate_hz * static_cast<double>(connections))),
        places_(std::min(even_within(length), places_max)) {}

  /// Poisson arrivals of the same rate.
  static Schedule poisson(std::size_t connections, double rate_hz, Nanoseconds length,
                          std::uint64_t places_max, std::uint64_t seed) {
    Schedule schedule(connections, rate_hz, 0, 0);
    schedule.arrival_ = Arrival::poisson;
    schedule.seed_ = seed;
    double at_ns = 0;
    for (std::uint64_t place = 0; place < places_max; ++place) {
      at_ns += schedule.gap_ns(place);
      if (at_ns >= static_cast<double>(length)) break;
      if (place % kMarkEvery == 0) schedule.marks_.push_back(at_ns);
      schedule.places_ = place + 1;
    }
    return schedule;
  }

  /// When a place is planned, counted from the start.
  Nanoseconds at(std::uint64_t place) const noexcept {
    if (arrival_ == Arrival::even)
      return static_cast<Nanoseconds>(static_cast<double>(place) * step_ns_);
    double at_ns = marks_[place / kMarkEvery];
    for (std::uint64_t next = place / kMarkEvery * kMarkEvery + 1; next <= place; ++next)
      at_ns += gap_ns(next);
    return static_cast<Nanoseconds>(at_ns);
  }
  std::uint64_t place(std::uint64_t connection, std::uint64_t sequence) const noexcept {
    return sequence * connections_ + connection;
  }

  /// Messages of all connections.
  std::uint64_t places() const noexcept { return places_; }

  /// The first place at or after `length` from the start; places() if there is none.
  std::uint64_t first_from(Nanoseconds length) const noexcept {
    if (arrival_ == Arrival::even) return std::min(even_within(length), places_);
    std::uint64_t low = 0, high = places_;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (at(middle) < length)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

 private:
  // More than the rounding of rate, step and quotient together, of about 2e-16 each.
  static constexpr double kRounding = 1e-14;
  // Poisson: computing a time adds up half as many gaps on average, about 60 ns.
  static constexpr std::uint64_t kMarkEvery = 16;

  std::uint64_t even_within(Nanoseconds length) const noexcept {
    const double places = static_cast<double>(length) / step_ns_;
    if (places >= 0x1p63) return UINT64_MAX;
    // 3/s for 10 s are 30 messages, though the quotient of the rounded step is 30.000000000000004.
    const double whole = std::round(places);
    const bool is_whole = std::abs(places - whole) < kRounding * places;
    return static_cast<std::uint64_t>(is_whole ? whole : std::ceil(places));
  }

  // The gap before a place, which follows the place before it or the start.
  double gap_ns(std::uint64_t place) const noexcept {
    const auto random = mix(mix(seed_) + place) >> 11;  // 53 bits, which a double holds exactly.
    return -std::log1p(-static_cast<double>(random) * 0x1p-53) * step_ns_;
  }

  std::uint64_t connections_;
  double step_ns_;
  std::uint64_t places_ = 0;
  Arrival arrival_ = Arrival::even;
  std::uint64_t seed_ = 0;
  std::vector<double> marks_;  // Poisson: the time of every kMarkEvery-th place.
};

}  // namespace wiremark::load
