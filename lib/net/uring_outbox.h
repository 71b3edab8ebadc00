// Where appended bytes lie while io_uring sends them: a piece of memory that is used anew each
// turn.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>

#include "base/bytes.h"

namespace wiremark::net {

/// Filled from its start every time, so that what a turn's answers take stays in cache, no answer
/// allocates, and a connection keeps nothing. One thread.
class Outbox {
 public:
  /// Bytes at most: a turn of 500 answers of half a kilobyte. Only what was once in use takes
  /// memory.
  static constexpr std::size_t kSize = 256 << 10;

  /// A copy of `bytes` that stays as it is until clear(); empty where there is no room for it.
  Bytes copy(Bytes bytes) noexcept {
    if (bytes.size() > kSize - used_) return {};
    std::byte* const start = memory_.get() + used_;
    std::memcpy(start, bytes.data(), bytes.size());
    used_ += bytes.size();
    return {start, bytes.size()};
  }

  bool holds(const std::byte* where) const noexcept {
    return where >= memory_.get() && where < memory_.get() + kSize;
  }

  void clear() noexcept { used_ = 0; }

 private:
  std::unique_ptr<std::byte[]> memory_ = std::make_unique_for_overwrite<std::byte[]>(kSize);
  std::size_t used_ = 0;
};

}  // namespace wiremark::net
