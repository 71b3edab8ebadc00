// Memory that is handed out in pieces and taken back all at once.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace wiremark {

/// Pieces lie in blocks that stay when they are taken back, so that memory is allocated only while
/// more is in use than ever before. One thread.
class Arena {
 public:
  /// `size` bytes, aligned for any type. They stay where they are until clear().
  std::byte* take(std::size_t size) {
    size = (size + kAlign - 1) / kAlign * kAlign;
    while (block_ < blocks_.size() && blocks_[block_].size - used_ < size) next();
    if (block_ == blocks_.size()) {
      const std::size_t room = size > kBlock ? size : kBlock;
      blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(room), room});
    }
    std::byte* piece = blocks_[block_].memory.get() + used_;
    used_ += size;
    return piece;
  }

  void clear() noexcept { block_ = used_ = 0; }

 private:
  static constexpr std::size_t kBlock = 256 << 10;
  static constexpr std::size_t kAlign = alignof(std::max_align_t);

  struct Block {
    std::unique_ptr<std::byte[]> memory;
    std::size_t size;
  };

  void next() noexcept {
    ++block_;
    used_ = 0;
  }

  std::vector<Block> blocks_;
  std::size_t block_ = 0;  // The one that pieces come from.
  std::size_t used_ = 0;   // Bytes of it.
};

}  // namespace wiremark
