// A ring of bytes between two threads: one writes, the other reads, neither waits.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cassert>
#include <cstring>
#include <memory>

#include "base/bytes.h"

namespace wiremark {

/// One thread pushes and one consumes. Both positions only grow, so their difference is what is
/// held, and each is written by one side; they lie on cache lines of their own.
class ByteRing {
 public:
  /// `capacity` is a power of two.
  explicit ByteRing(std::size_t capacity)
      : capacity_(capacity), bytes_(std::make_unique_for_overwrite<std::byte[]>(capacity)) {
    assert(std::has_single_bit(capacity));
  }

  std::size_t capacity() const noexcept { return capacity_; }

  /// Bytes held. The writer may have added some by the time the reader looks, and the reader may
  /// have taken some by the time the writer looks.
  std::size_t size() const noexcept {
    return pushed_.load(std::memory_order_acquire) - consumed_.load(std::memory_order_acquire);
  }
  bool empty() const noexcept { return size() == 0; }

  /// For the writer: how many bytes fit; more once the reader has taken some.
  std::size_t room() const noexcept { return capacity_ - size(); }

  /// For the writer: copies as many of `bytes` as fit, and tells how many that were.
  std::size_t push(Bytes bytes) noexcept {
    const std::size_t at = pushed_.load(std::memory_order_relaxed);
    const std::size_t held = at - consumed_.load(std::memory_order_acquire);
    const std::size_t count = std::min(bytes.size(), capacity_ - held);
    if (count == 0) return 0;
    const std::size_t start = at & (capacity_ - 1);
    const std::size_t first = std::min(count, capacity_ - start);
    std::memcpy(bytes_.get() + start, bytes.data(), first);
    std::memcpy(bytes_.get(), bytes.data() + first, count - first);
    pushed_.store(at + count, std::memory_order_release);
    return count;
  }

  /// For the reader: what is held, in order; the second part is empty unless the bytes wrap around.
  /// Valid until it is consumed.
  std::array<Bytes, 2> parts() const noexcept {
    const std::size_t from = consumed_.load(std::memory_order_relaxed);
    const std::size_t held = pushed_.load(std::memory_order_acquire) - from;
    const std::size_t start = from & (capacity_ - 1);
    const std::size_t first = std::min(held, capacity_ - start);
    return {Bytes(bytes_.get() + start, first), Bytes(bytes_.get(), held - first)};
  }

  /// For the reader: drops `count` bytes from the front; they must be held.
  void consume(std::size_t count) noexcept {
    assert(count <= size());
    consumed_.store(consumed_.load(std::memory_order_relaxed) + count, std::memory_order_release);
  }

 private:
  // The size of a cache line. Positions written by two threads would make a shared line travel
  // between their processors.
  static constexpr std::size_t kApart = 64;

  const std::size_t capacity_;
  const std::unique_ptr<std::byte[]> bytes_;
  alignas(kApart) std::atomic<std::size_t> pushed_{0};    // Written by the writer.
  alignas(kApart) std::atomic<std::size_t> consumed_{0};  // Written by the reader.
};

}  // namespace wiremark
