// Protocol buffers: the message of schemas/message.proto, read and written without the library.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/bytes.h"
#include "wire/codec.h"
#include "wire/message.h"

namespace wiremark::wire {

/// Follows libprotobuf where it is right: fields in any order, the last of several counts, a number
/// over 32 bits is cut, unknown fields and known numbers of another wire type are stepped over.
/// Stricter in three things: content must be UTF-8 (the rule of proto3), the tenth byte of a varint
/// holds one bit, and groups nest no deeper than Limits::depth (at most 64).
class ProtobufCodec {
 public:
  static constexpr std::string_view kName = "protobuf";

  ProtobufCodec() = default;
  explicit ProtobufCodec(const Limits& limits) noexcept : limits_(limits) {}

  std::size_t max_size(const Message& message) const noexcept {
    return kMaxOverhead + message.content.size();
  }
  std::size_t encode(const Message& message, MutableBytes to) const noexcept;
  DecodeError decode(Bytes from, Message& message) const noexcept;

 private:
  // Three tags of one byte, two numbers and a length of up to ten.
  static constexpr std::size_t kMaxOverhead = 3 + 3 * 10;

  DecodeError decode_any_order(Bytes from, Message& message) const noexcept;

  Limits limits_;
};

static_assert(Codec<ProtobufCodec>);

}  // namespace wiremark::wire
