// Packets laid out one behind the other in one block, at a random offset.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "base/bytes.h"
#include "bench/random.h"

namespace wiremark::bench {

/// How much data a cold row walks over: half of the second-level cache, in bytes.
std::size_t cold_bytes();

/// How many items of `bytes` each a row of `access` walks over: `hot` of them, or what fills
/// cold_bytes(); never more than 65,536.
std::size_t item_count(bool cold, std::size_t hot, std::size_t bytes);

/// Owns copies of byte strings. Each starts at a multiple of 8, as memory of allocators and receive
/// buffers does; 64 readable bytes follow the last.
class Shelf {
 public:
  /// Adds a copy of `bytes`; not after seal().
  void add(Bytes bytes) {
    offsets_.push_back(blob_.size());
    sizes_.push_back(bytes.size());
    blob_.insert(blob_.end(), bytes.begin(), bytes.end());
    blob_.resize((blob_.size() + 7) / 8 * 8);
  }

  /// Moves everything to a fresh block, at a random multiple of 8 in its first page, because the
  /// same code takes 60 or 100 ns depending on where its data lie.
  void seal(Random& random) {
    const std::size_t shift = random.below(kPage / 8) * 8;
    block_ = std::make_unique<std::byte[]>(shift + blob_.size() + kSlack);
    std::ranges::copy(blob_, block_.get() + shift);
    items_.reserve(offsets_.size());
    for (std::size_t i = 0; i < offsets_.size(); ++i) {
      items_.push_back({block_.get() + shift + offsets_[i], sizes_[i]});
    }
    blob_ = {};
  }

  std::size_t size() const noexcept { return items_.size(); }
  Bytes operator[](std::size_t index) const noexcept { return items_[index]; }

  /// Mean size of what was added.
  double mean_bytes() const noexcept {
    double sum = 0;
    for (const std::size_t size : sizes_) sum += static_cast<double>(size);
    return sizes_.empty() ? 0 : sum / static_cast<double>(sizes_.size());
  }

 private:
  static constexpr std::size_t kPage = 4096;
  static constexpr std::size_t kSlack = 64;  // SIMD readers may read this far beyond the end.

  std::vector<std::byte> blob_;
  std::vector<std::size_t> offsets_;
  std::vector<std::size_t> sizes_;
  std::unique_ptr<std::byte[]> block_;
  std::vector<Bytes> items_;
};

/// Room to encode into, at a random offset.
class Desk {
 public:
  Desk(std::size_t bytes, Random& random)
      : shift_(random.below(512) * 8),
        size_(bytes),
        block_(std::make_unique<std::byte[]>(shift_ + bytes)) {}

  MutableBytes room() noexcept { return {block_.get() + shift_, size_}; }

 private:
  std::size_t shift_;
  std::size_t size_;
  std::unique_ptr<std::byte[]> block_;
};

}  // namespace wiremark::bench
