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

/// The plan of a whole run, fixed before its first message and the same for the same seed. Place p
/// of it is message p / connections of connection p % connections, so all connections send at the
/// same rate, their phases spread over its period.
///
/// Even arrivals are evenly spaced. Poisson arrivals are a Poisson process of the total rate: the
/// gaps between places are independent and exponential, and many users look like that. Both are
/// found by arithmetic, Poisson ones from marks that take half a byte a message.
class Schedule {
 public:
  /// `rate_hz` is messages per second of one connection, over 0. Plans all within `length`, or
  /// `places_max` where those are fewer.
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

  /// The planned time of a place since the start.
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

  /// The first place at or after `length` since the start; places() where there is none.
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
  // Over the few units in the last place, 2e-16 each, that rate, step and quotient are rounded by.
  static constexpr double kRounding = 1e-14;
  // Of Poisson arrivals: finding a place takes half as many gaps, about 60 ns.
  static constexpr std::uint64_t kMarkEvery = 16;

  std::uint64_t even_within(Nanoseconds length) const noexcept {
    const double places = static_cast<double>(length) / step_ns_;
    if (places >= 0x1p63) return UINT64_MAX;
    // 3/s for 10 s are 30 messages, though the quotient of the rounded step is 30.000000000000004.
    const double whole = std::round(places);
    const bool is_whole = std::abs(places - whole) < kRounding * places;
    return static_cast<std::uint64_t>(is_whole ? whole : std::ceil(places));
  }

  // From the place before, or from the start.
  double gap_ns(std::uint64_t place) const noexcept {
    const auto random = mix(mix(seed_) + place) >> 11;  // As many bits as a double holds exactly.
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
