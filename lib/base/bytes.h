// Spans of bytes, and little-endian numbers in them. Stable.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace wiremark {

using Bytes = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;

/// The bytes of `text`, without a terminator.
inline Bytes as_bytes(std::string_view text) noexcept {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

/// `bytes` seen as characters; no encoding is checked.
inline std::string_view as_text(Bytes bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Reads a little-endian unsigned number; `from` needs no alignment.
template <std::unsigned_integral T>
T load_le(const std::byte* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof value);
  if constexpr (std::endian::native == std::endian::big) value = std::byteswap(value);
  return value;
}

/// Writes a little-endian unsigned number; `to` needs no alignment.
template <std::unsigned_integral T>
void store_le(std::byte* to, T value) noexcept {
  if constexpr (std::endian::native == std::endian::big) value = std::byteswap(value);
  std::memcpy(to, &value, sizeof value);
}

}  // namespace wiremark
