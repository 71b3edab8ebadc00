// Up to 64 bytes of a JSON text, as a bit for each.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "wire/json/text.h"

namespace wiremark::wire {

/// Finds where texts and numbers end by shifts of a word. To look at the bytes behind the beginning
/// of each takes longer, since that is only known when the one before has been looked at.
///
/// Positions count from first() and are below size().
class JsonWindow {
 public:
  std::size_t first() const noexcept { return first_; }
  std::size_t size() const noexcept { return size_; }

  /// Looks at `text`, of at least a block, from `at` on; near its end also at what stands before.
  void move(std::string_view text, std::size_t at) noexcept {
    constexpr std::size_t kSize = 64;
    odd_ = 0;
    not_digits_ = 0;
    size_ = std::min(text.size(), kSize);
    first_ = std::min(at, text.size() - size_);
    const char* const from = text.data() + first_;
    if (size_ == kSize) [[likely]] {
      for (std::size_t block = 0; block < kSize; block += kJsonBlock) add(from, block);
    } else {
      for (std::size_t block = 0; block + kJsonBlock < size_; block += kJsonBlock) add(from, block);
      add(from, size_ - kJsonBlock);
    }
  }

  /// The bytes from `at` on that are not ASCII or that a string cannot hold as they are.
  std::uint64_t odd_from(std::size_t at) const noexcept { return odd_ >> at; }
  /// The first of them, or 0 if there is none.
  std::size_t text_end(std::size_t at) const noexcept { return end(odd_, at); }
  /// The first byte from `at` on that is no digit, or 0 if there is none.
  std::size_t digits_end(std::size_t at) const noexcept { return end(not_digits_, at); }

 private:
  static std::size_t end(std::uint64_t bits, std::size_t at) noexcept {
    const std::uint64_t left = bits >> at;
    return left == 0 ? 0 : at + static_cast<unsigned>(std::countr_zero(left));
  }

  void add(const char* from, std::size_t block) noexcept {
    odd_ |= std::uint64_t{json_odd_bytes(from + block)} << block;
    not_digits_ |= std::uint64_t{json_not_digits(from + block)} << block;
  }

  std::uint64_t odd_ = 0;
  std::uint64_t not_digits_ = 0;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace wiremark::wire
