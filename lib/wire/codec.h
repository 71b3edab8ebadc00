// What a codec is: messages to bytes and back, without allocating or reading elsewhere. Stable.
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>

#include "base/bytes.h"
#include "wire/decode_error.h"
#include "wire/message.h"

namespace wiremark::wire {

/// The limits of what a decoder accepts. Exceeding one is an error, never a crash.
struct Limits {
  std::size_t frame_size = 1 << 20;  ///< The largest length of a frame, or of a field in one.
  unsigned depth = 32;               ///< Nested objects, groups or nodes.
};

/// A codec belongs to one thread: it may hold a parser or a reused message.
///
///   kName            the name users write, such as "protobuf"
///   max_size(m)      the most bytes that encode(m) writes
///   encode(m, to)    writes one payload, without its frame header; its size, or 0 when `to` is
///                    shorter than max_size(m); bytes of `to` behind the payload may be overwritten
///   decode(from, m)  reads one whole payload; on an error `m` is unspecified
///   kFraming         only where the frame is not a length in front; see frame.h
///
/// Constructed from Limits. The frame around a payload is the business of frame.h.
template <class C>
concept Codec =
    std::constructible_from<C, Limits> &&
    requires(C codec, const Message& message, Message& into, MutableBytes to, Bytes from) {
      { C::kName } -> std::convertible_to<std::string_view>;
      { codec.max_size(message) } -> std::same_as<std::size_t>;
      { codec.encode(message, to) } -> std::same_as<std::size_t>;
      { codec.decode(from, into) } -> std::same_as<DecodeError>;
    };

}  // namespace wiremark::wire
