// Protocol buffers: the message of schemas/message.proto, read and written without the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "wire/codec.h"
#include "wire/copy_text.h"
#include "wire/message.h"
#include "wire/protobuf/start.h"
#include "wire/protobuf/wire.h"
#include "wire/utf8.h"

namespace wiremark::wire {

/// Behaves as libprotobuf does: fields in any order, the last of several counts, a number over 32
/// bits is cut, unknown fields and known numbers of another wire type are skipped.
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

  DecodeError decode_any_numbers(Bytes from, Message& message) const noexcept;
  DecodeError decode_any_order(Bytes from, Message& message) const noexcept;

  Limits limits_;
};

// A straight path for the field order that every encoder writes; the general ones are behind it.

inline std::size_t ProtobufCodec::encode(const Message& message, MutableBytes to) const noexcept {
  const std::size_t length = message.content.size();
  if (to.size() < max_size(message) || length > INT32_MAX) return 0;
  std::byte* const at = protobuf::put_start(to.data(), message.head, message.guid,
                                            static_cast<std::uint32_t>(length));
  copy_text(at, message.content);
  return static_cast<std::size_t>(at - to.data()) + length;
}

inline DecodeError ProtobufCodec::decode(Bytes from, Message& message) const noexcept {
  std::uint32_t head = 0;
  std::uint32_t guid = 0;
  Bytes content;
  const bool is_short = from.size() - protobuf::kShortPacketMin <=
                        protobuf::kShortPacketMax - protobuf::kShortPacketMin;
  if ((is_short ? protobuf::get_short_packet(from, head, guid, content)
                : from.size() > protobuf::kShortPacketMax &&
                      protobuf::get_packet(from, head, guid, content)) &&
      content.size() <= limits_.frame_size && (is_ascii(content) || is_utf8_by_blocks(content)))
      [[likely]] {
    message.head = static_cast<std::int32_t>(head);
    message.guid = static_cast<std::int32_t>(guid);
    message.content = as_text(content);
    return {};
  }
  // A message of its own, so that the compiler can keep the caller's in registers.
  Message other;
  const DecodeError error = decode_any_numbers(from, other);
  message = other;
  return error;
}

static_assert(Codec<ProtobufCodec>);

}  // namespace wiremark::wire
