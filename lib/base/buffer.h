// A run of bytes that grows at the back and is consumed from the front.
#pragma once

#include <utility>

#include "base/bytes.h"

namespace wiremark {

/// Owns one heap block while it holds bytes and none while it is empty, so that an idle
/// connection pays for one pointer. Not for sharing between threads.
class Buffer {
 public:
  Buffer() noexcept = default;
  Buffer(Buffer&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~Buffer() { clear(); }

  bool empty() const noexcept { return block_ == nullptr; }
  std::size_t size() const noexcept { return block_ ? block_->tail - block_->head : 0; }

  /// The bytes held; valid until the next append, consume or clear.
  Bytes view() const noexcept;

  /// Copies `bytes` behind what is held; they must not lie in this buffer.
  /// Throws std::bad_alloc when memory is gone.
  void append(Bytes bytes);

  /// Drops `count` bytes from the front; `count` must not exceed size().
  void consume(std::size_t count) noexcept;

  /// Drops everything and gives the block back.
  void clear() noexcept;

  /// Bytes of memory that it takes.
  std::size_t held() const noexcept { return block_ ? sizeof(Block) + block_->capacity : 0; }
  /// The sum of held() over all buffers that grew on this thread; no longer true once one with
  /// bytes in it is handed to another thread.
  static std::size_t held_here() noexcept { return held_here_; }

 private:
  static inline constinit thread_local std::size_t held_here_ = 0;

  struct Block {
    std::size_t capacity;
    std::size_t head;
    std::size_t tail;
    std::byte* data() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
  };

  Block* block_ = nullptr;  // Null exactly when no bytes are held.
};

}  // namespace wiremark
