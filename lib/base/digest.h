// A number that stands for texts: the same wherever it is computed, and different for others.
#pragma once

#include <cstdint>
#include <string_view>

namespace wiremark {

/// 64 bits of FNV-1a (Fowler, Noll and Vo) over texts, each with its length. Against mistakes and
/// not against forgery.
class Digest {
 public:
  constexpr void add(std::string_view text) noexcept {
    for (std::uint64_t size = text.size(), byte = 0; byte < 8; ++byte, size >>= 8) add_byte(size);
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
  }
  constexpr std::uint64_t value() const noexcept { return value_; }

 private:
  constexpr void add_byte(std::uint64_t byte) noexcept {
    value_ = (value_ ^ (byte & 0xff)) * 0x100000001b3;
  }

  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace wiremark
