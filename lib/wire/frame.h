// Where one message ends in a stream of bytes. Stable.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "wire/codec.h"
#include "wire/decode_error.h"
#include "wire/message.h"

namespace wiremark::wire {

/// How a format marks the end of a message. schemas/frame.md has both, byte by byte.
enum class Framing : std::uint8_t {
  length_prefix,  ///< A 4-byte little-endian length, then that many bytes of payload.
  bytes_header,   ///< The header of the bytes format, which belongs to its packet.
};

inline constexpr std::size_t kLengthPrefixSize = 4;
inline constexpr std::size_t kBytesHeaderSize = 12;  ///< Length, head and guid.

/// The framing of a codec: its kFraming, or a length in front if it has none.
template <class C>
inline constexpr Framing kFramingOf = [] {
  if constexpr (requires { C::kFraming; }) {
    return C::kFraming;
  } else {
    return Framing::length_prefix;
  }
}();

/// The first frame of a stream.
struct Frame {
  Bytes packet;          ///< What the codec decodes; it borrows the stream.
  std::size_t size = 0;  ///< Bytes of the stream it takes, header included.
};

/// Finds the first frame of `stream`. Errors: need_more_data when the stream ends inside the frame,
/// with the size up to which more is needed as its offset; too_large as soon as the length can be
/// read. A length of 0 is a frame with an empty payload; the codec decides what that means.
DecodeError next_frame(Framing framing, Bytes stream, const Limits& limits, Frame& frame) noexcept;

/// Finds the first frame of `stream` and decodes its message, which borrows the stream; the offset
/// of an error counts from the start of the frame.
template <Codec C>
DecodeError decode_frame(C& codec, Bytes stream, const Limits& limits, Frame& frame,
                         Message& message) {
  if (const auto error = next_frame(kFramingOf<C>, stream, limits, frame)) return error;
  DecodeError error = codec.decode(frame.packet, message);
  if (error) [[unlikely]]
    error.offset += frame.size - frame.packet.size();
  return error;
}

/// The most bytes that encode_frame() writes.
template <Codec C>
std::size_t max_frame_size(C& codec, const Message& message) {
  const std::size_t prefix = kFramingOf<C> == Framing::length_prefix ? kLengthPrefixSize : 0;
  return prefix + codec.max_size(message);
}

/// Writes one message with its frame header; returns their size, or 0 when `to` is too short.
template <Codec C>
std::size_t encode_frame(C& codec, const Message& message, MutableBytes to) {
  if constexpr (kFramingOf<C> == Framing::bytes_header) {
    return codec.encode(message, to);
  } else {
    if (to.size() < kLengthPrefixSize) return 0;
    const std::size_t size = codec.encode(message, to.subspan(kLengthPrefixSize));
    if (size == 0 || size > UINT32_MAX) return 0;
    store_le(to.data(), static_cast<std::uint32_t>(size));
    return kLengthPrefixSize + size;
  }
}

}  // namespace wiremark::wire
