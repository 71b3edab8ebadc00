// A count that one thread writes and any thread reads.
#pragma once

#include <atomic>
#include <cstdint>

namespace wiremark {

/// Costs the writer a plain load, add and store: no locked instruction. A reader sees a value that
/// was true a moment ago. Two writers would lose counts.
class Counter {
 public:
  Counter() noexcept = default;
  Counter(const Counter& other) noexcept : value_(other.get()) {}
  Counter& operator=(const Counter& other) noexcept {
    value_.store(other.get(), std::memory_order_relaxed);
    return *this;
  }

  // Inlined, because the call would cost more than the addition.
  [[gnu::always_inline]] void add(std::uint64_t count = 1) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
  }
  /// Adds one for what this thread has done: who sees the count sees that too.
  void publish() noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  std::uint64_t get() const noexcept { return value_.load(std::memory_order_acquire); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

}  // namespace wiremark
