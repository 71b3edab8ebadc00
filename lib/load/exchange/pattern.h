// What the messages of a load hold, so that every byte of every reply can be checked.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "base/bytes.h"
#include "base/mix.h"

namespace wiremark::load {

/// A message is a window onto one random block; connection and sequence number decide where it
/// begins and how long it is. So nothing is copied to send it, memcmp() checks the reply, and a
/// reply that belongs to another message is noticed (except for one window in 4,096).
class Pattern {
 public:
  Pattern(std::uint64_t seed, std::size_t size_min, std::size_t size_max)
      : seed_(seed),
        size_min_(size_min),
        sizes_(size_max - size_min + 1),
        block_(size_max + kWindows) {
    std::mt19937_64 random(seed);
    for (std::byte& byte : block_) byte = static_cast<std::byte>(random());
  }

  std::size_t size_min() const noexcept { return size_min_; }
  std::size_t size_max() const noexcept { return size_min_ + sizes_ - 1; }

  Bytes message(std::uint32_t connection, std::uint32_t sequence) const noexcept {
    const std::uint64_t place = seed_ + (std::uint64_t{connection} << 32 | sequence);
    const std::size_t size = size_min_ + (sizes_ > 1 ? mix(place) % sizes_ : 0);
    return {block_.data() + (place * kGolden >> (64 - kWindowBits)), size};
  }

 private:
  static constexpr unsigned kWindowBits = 12;
  static constexpr std::size_t kWindows = 1 << kWindowBits;
  // 2^64 divided by the golden ratio: the messages of a connection spread evenly over the windows,
  // and neighbours are far apart (Knuth, The Art of Computer Programming, 6.4).
  static constexpr std::uint64_t kGolden = 0x9e37'79b9'7f4a'7c15;

  std::uint64_t seed_;
  std::size_t size_min_;
  std::size_t sizes_;
  std::vector<std::byte> block_;
};

}  // namespace wiremark::load
