// A run of bytes that grows at the back and is consumed from the front.
#include "base/buffer.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <new>

namespace wiremark {

namespace {
// A block and its header fill half a kilobyte, which holds a typical message.
constexpr std::size_t kSmallestCapacity = 512 - 3 * sizeof(std::size_t);
}  // namespace

Bytes Buffer::view() const noexcept {
  if (!block_) return {};
  return {block_->data() + block_->head, block_->tail - block_->head};
}

void Buffer::append(Bytes bytes) {
  if (bytes.empty()) return;
  if (block_ && block_->head > 0 && block_->tail + bytes.size() > block_->capacity) {
    std::memmove(block_->data(), block_->data() + block_->head, size());
    block_->tail -= std::exchange(block_->head, 0);
  }
  const std::size_t tail = block_ ? block_->tail : 0;
  const std::size_t needed = tail + bytes.size();
  if (!block_ || needed > block_->capacity) {
    const std::size_t capacity =
        std::max({kSmallestCapacity, needed, block_ ? 2 * block_->capacity : 0});
    const std::size_t held_before = held();
    void* grown = std::realloc(block_, sizeof(Block) + capacity);
    if (!grown) throw std::bad_alloc();
    held_here_ += sizeof(Block) + capacity - held_before;
    if (!block_) {
      block_ = ::new (grown) Block{capacity, 0, 0};
    } else {
      block_ = static_cast<Block*>(grown);
      block_->capacity = capacity;
    }
  }
  std::memcpy(block_->data() + block_->tail, bytes.data(), bytes.size());
  block_->tail = needed;
}

void Buffer::consume(std::size_t count) noexcept {
  if (count == 0) return;
  assert(count <= size());
  block_->head += count;
  if (block_->head == block_->tail) clear();
}

void Buffer::clear() noexcept {
  held_here_ -= held();
  std::free(std::exchange(block_, nullptr));
}

}  // namespace wiremark
