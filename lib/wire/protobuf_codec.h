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
  std::byte* at = to.data();
  *at++ = static_cast<std::byte>(kHeadTag);
  at = protobuf::put_int32(at, message.head);
  *at++ = static_cast<std::byte>(kGuidTag);
  at = protobuf::put_int32(at, message.guid);
  *at++ = static_cast<std::byte>(kContentTag);
  at = protobuf::put_uint31(at, static_cast<std::uint32_t>(length));
  if (length != 0) std::memcpy(at, message.content.data(), length);
  return static_cast<std::size_t>(at - to.data()) + length;
}

inline DecodeError ProtobufCodec::decode(Bytes from, Message& message) const noexcept {
  // Numbers longer than two bytes check for themselves that they may load eight; after one of
  // those, two bytes more must be there for the next.
  const std::byte* const end = from.data() + from.size();
  const std::byte* at = from.data();
  std::uint64_t head = 0;
  std::uint64_t guid = 0;
  std::uint64_t length = 0;
  if (from.size() < 9 || *at != std::byte{kHeadTag}) return decode_any_order(from, message);
  std::size_t size = protobuf::get_varint8(at + 1, end, head);
  at += 1 + size;
  if (size == 0 || end - at < 6 || *at != std::byte{kGuidTag}) [[unlikely]] {
    return decode_any_order(from, message);
  }
  size = protobuf::get_varint8(at + 1, end, guid);
  at += 1 + size;
  if (size == 0 || end - at < 3 || *at != std::byte{kContentTag}) [[unlikely]] {
    return decode_any_order(from, message);
  }
  size = protobuf::get_varint8(at + 1, end, length);
  at += 1 + size;
  const Bytes content(at, end);
  if (size == 0 || length != content.size() || length > limits_.frame_size || !is_ascii(content))
      [[unlikely]] {
    return decode_any_order(from, message);
  }
  message.head = static_cast<std::int32_t>(head);
  message.guid = static_cast<std::int32_t>(guid);
  message.content = as_text(content);
  return {};
}

static_assert(Codec<ProtobufCodec>);

}  // namespace wiremark::wire
