// Random numbers that a seed repeats, for orders and layouts of codecbench.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/mix.h"

namespace wiremark::bench {

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014): one
/// multiplication chain per number, so that a fresh order costs less than the batch it is for.
class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t next() noexcept {
    const std::uint64_t number = mix(state_);
    state_ += 0x9e3779b97f4a7c15;
    return number;
  }

  /// 0 to `bound` - 1; `bound` must be 1 to 2^32. The bias is below bound / 2^32.
  std::uint32_t below(std::uint64_t bound) noexcept {
    return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
  }

  /// A number of at most `bits` bits, 0 to 64: all lengths have equal chances, 0 that of one more.
  std::uint64_t of_any_length(unsigned bits) noexcept {
    const unsigned length = below(bits + 1);
    if (length == 0) return 0;
    return (next() >> (64 - length)) | (std::uint64_t{1} << (length - 1));
  }

  /// The same with either sign; `bits` must be below 64.
  std::int64_t signed_of_any_length(unsigned bits) noexcept {
    const auto size = static_cast<std::int64_t>(of_any_length(bits));
    return below(2) == 0 ? size : -size;
  }

 private:
  std::uint64_t state_;
};

/// Puts `items` into an order of equal chances (Fisher and Yates).
template <class T>
void shuffle(std::vector<T>& items, Random& random) {
  for (std::size_t left = items.size(); left > 1; --left) {
    std::swap(items[left - 1], items[random.below(left)]);
  }
}

}  // namespace wiremark::bench
