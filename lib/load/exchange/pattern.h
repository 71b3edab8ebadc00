// What the messages of a load hold, so that every byte of every reply can be checked.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "base/bytes.h"
#include "base/mix.h"

namespace wiremark::load {

/// A message is a window onto one random block; connection and sequence number decide which, and
/// how long it is. Nothing is copied to send it and memcmp() checks the reply, while a reply that
/// belongs to another message is told apart (but for one window in 4,096).
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
    const std::uint64_t hash = mix(seed_ + (std::uint64_t{connection} << 32 | sequence));
    const std::size_t size = size_min_ + (sizes_ > 1 ? (hash >> 32) % sizes_ : 0);
    return {block_.data() + hash % kWindows, size};
  }

 private:
  static constexpr std::size_t kWindows = 4096;

  std::uint64_t seed_;
  std::size_t size_min_;
  std::size_t sizes_;
  std::vector<std::byte> block_;
};

}  // namespace wiremark::load
