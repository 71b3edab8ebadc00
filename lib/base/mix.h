// A hash of a number: stands in for a random number where the same one is needed again.
#pragma once

#include <cstdint>

namespace wiremark {

/// The finalizer of splitmix64 (Steele, Lea and Flood, 2014): every bit of `value` reaches every
/// bit of the result.
constexpr std::uint64_t mix(std::uint64_t value) noexcept {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}

}  // namespace wiremark
