// The plain byte stream: length u32 | head u32 | guid u32, little-endian, then the content.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "wire/codec.h"
#include "wire/copy_text.h"
#include "wire/frame.h"
#include "wire/message.h"

namespace wiremark::wire {

/// The header is part of the packet, and its length counts the content only. The content may hold
/// any bytes.
class BytesCodec {
 public:
  static constexpr std::string_view kName = "bytes";
  static constexpr Framing kFraming = Framing::bytes_header;
  static constexpr std::size_t kHeaderSize = kBytesHeaderSize;

  BytesCodec() = default;
  explicit BytesCodec(const Limits& limits) noexcept : limits_(limits) {}

  std::size_t max_size(const Message& message) const noexcept {
    return kHeaderSize + message.content.size();
  }

  std::size_t encode(const Message& message, MutableBytes to) const noexcept {
    const std::size_t length = message.content.size();
    if (to.size() < kHeaderSize + length || length > UINT32_MAX) return 0;
    store_le(to.data(), static_cast<std::uint32_t>(length));
    store_le(to.data() + 4, static_cast<std::uint32_t>(message.head));
    store_le(to.data() + 8, static_cast<std::uint32_t>(message.guid));
    copy_text(to.data() + kHeaderSize, message.content);
    return kHeaderSize + length;
  }

  DecodeError decode(Bytes from, Message& message) const noexcept {
    if (from.size() < kHeaderSize) return {DecodeErrorKind::truncated, from.size()};
    const std::size_t length = load_le<std::uint32_t>(from.data());
    const std::size_t follows = from.size() - kHeaderSize;
    if (length > limits_.frame_size) return {DecodeErrorKind::too_large, 0};
    if (length > follows) return {DecodeErrorKind::truncated, from.size()};
    if (length < follows) return {DecodeErrorKind::trailing_data, kHeaderSize + length};
    message.head = static_cast<std::int32_t>(load_le<std::uint32_t>(from.data() + 4));
    message.guid = static_cast<std::int32_t>(load_le<std::uint32_t>(from.data() + 8));
    message.content = as_text(from.subspan(kHeaderSize));
    return {};
  }

 private:
  Limits limits_;
};

static_assert(Codec<BytesCodec>);

}  // namespace wiremark::wire
