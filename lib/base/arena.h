// Memory that is handed out in pieces and taken back all at once.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include "base/bytes.h"

namespace wiremark {

/// Pieces are cut from blocks. clear() keeps the blocks, and the next pieces are cut from the first
/// one again: memory is allocated only when more is in use than ever before, and what is in use
/// stays in cache. For one thread.
class Arena {
 public:
  /// `size` bytes, aligned for any type. They stay where they are until clear().
  std::byte* take(std::size_t size) {
    size = (size + kAlign - 1) / kAlign * kAlign;
    if (size > left_) [[unlikely]]
      find(size);
    std::byte* const piece = next_;
    next_ += size;
    left_ -= size;
    used_ += size;
    return piece;
  }

  /// A copy of `bytes`, for as long.
  Bytes copy(Bytes bytes) {
    std::byte* const piece = take(bytes.size());
    if (!bytes.empty()) std::memcpy(piece, bytes.data(), bytes.size());
    return {piece, bytes.size()};
  }

  /// Bytes handed out since clear().
  std::size_t used() const noexcept { return used_; }

  void clear() noexcept {
    used_ = 0;
    if (!blocks_.empty()) enter(0);
  }

 private:
  static constexpr std::size_t kBlock = 256 << 10;
  static constexpr std::size_t kAlign = alignof(std::max_align_t);

  struct Block {
    std::unique_ptr<std::byte[]> memory;
    std::size_t size;
  };

  // Goes on to the next block that has room, a new one where none has.
  void find(std::size_t size) {
    std::size_t block = blocks_.empty() ? 0 : block_ + 1;
    while (block < blocks_.size() && blocks_[block].size < size) ++block;
    if (block == blocks_.size()) {
      const std::size_t room = size > kBlock ? size : kBlock;
      blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(room), room});
    }
    enter(block);
  }

  void enter(std::size_t block) noexcept {
    block_ = block;
    next_ = blocks_[block].memory.get();
    left_ = blocks_[block].size;
  }

  std::vector<Block> blocks_;
  std::size_t block_ = 0;  // The one that pieces come from.
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;  // Bytes of it.
  std::size_t used_ = 0;
};

}  // namespace wiremark
