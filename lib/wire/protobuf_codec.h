// Protocol buffers: the message of schemas/message.proto, read and written without the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/bytes.h"
#include "wire/codec.h"
#include "wire/message.h"
#include "wire/protobuf_wire.h"
#include "wire/utf8.h"

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
  static constexpr std::uint32_t kHeadTag = protobuf::tag_of(1, protobuf::WireType::varint);
  static constexpr std::uint32_t kGuidTag = protobuf::tag_of(2, protobuf::WireType::varint);
  static constexpr std::uint32_t kContentTag = protobuf::tag_of(3, protobuf::WireType::bytes);

  // Three tags of one byte, two numbers and a length of up to ten.
  static constexpr std::size_t kMaxOverhead = 3 + 3 * 10;

  DecodeError decode_any_order(Bytes from, Message& message) const noexcept;

  Limits limits_;
};

// A straight path for the field order that every encoder writes; the general one is behind it.

inline std::size_t ProtobufCodec::encode(const Message& message, MutableBytes to) const noexcept {
  const std::size_t length = message.content.size();
  if (to.size() < max_size(message) || length > INT32_MAX) return 0;
  std::byte* at = protobuf::put_field(to.data(), kHeadTag, message.head);
  at = protobuf::put_field(at, kGuidTag, message.guid);
  at = protobuf::put_field(at, kContentTag, static_cast<std::int32_t>(length));
  if (length != 0) std::memcpy(at, message.content.data(), length);
  return static_cast<std::size_t>(at - to.data()) + length;
}

inline DecodeError ProtobufCodec::decode(Bytes from, Message& message) const noexcept {
  const std::byte* const end = from.data() + from.size();
  const std::byte* at = from.data();
  std::uint64_t head = 0;
  std::uint64_t guid = 0;
  Bytes content;
  // Eight bytes hold two numbers of two bytes, and the tag and length of a content.
  if (from.size() >= 8 && protobuf::get_field(at, end, kHeadTag, head) &&
      protobuf::get_field(at, end, kGuidTag, guid) &&
      protobuf::get_last_bytes(Bytes(at, end), kContentTag, content) &&
      content.size() <= limits_.frame_size && is_ascii(content)) [[likely]] {
    message.head = static_cast<std::int32_t>(head);
    message.guid = static_cast<std::int32_t>(guid);
    message.content = as_text(content);
    return {};
  }
  // Through a message of its own, so that the caller's may live in registers.
  Message any_order;
  const DecodeError error = decode_any_order(from, any_order);
  message = any_order;
  return error;
}

static_assert(Codec<ProtobufCodec>);

}  // namespace wiremark::wire
