// A straight path for the field order that every encoder writes, and a general one behind it.
#include "wire/protobuf_codec.h"

#include <cstring>

#include "wire/protobuf_wire.h"
#include "wire/utf8.h"

namespace wiremark::wire {
namespace {

using protobuf::get_varint8;
using protobuf::put_uint31;
using protobuf::put_varint;
using protobuf::WireType;

constexpr std::uint32_t kHead = protobuf::tag_of(1, WireType::varint);
constexpr std::uint32_t kGuid = protobuf::tag_of(2, WireType::varint);
constexpr std::uint32_t kContent = protobuf::tag_of(3, WireType::bytes);

// A negative int32 is sign-extended to 64 bits and takes ten bytes.
std::byte* put_int32(std::byte* to, std::int32_t value) {
  if (value < 0) [[unlikely]]
    return put_varint(to, static_cast<std::uint64_t>(value));
  return put_uint31(to, static_cast<std::uint32_t>(value));
}

}  // namespace

std::size_t ProtobufCodec::encode(const Message& message, MutableBytes to) const noexcept {
  const std::size_t length = message.content.size();
  if (to.size() < max_size(message) || length > INT32_MAX) return 0;
  std::byte* at = to.data();
  *at++ = static_cast<std::byte>(kHead);
  at = put_int32(at, message.head);
  *at++ = static_cast<std::byte>(kGuid);
  at = put_int32(at, message.guid);
  *at++ = static_cast<std::byte>(kContent);
  at = put_uint31(at, static_cast<std::uint32_t>(length));
  if (length != 0) std::memcpy(at, message.content.data(), length);
  return static_cast<std::size_t>(at - to.data()) + length;
}

DecodeError ProtobufCodec::decode(Bytes from, Message& message) const noexcept {
  // Three tags, and three varints of at most eight bytes each of which eight are loaded: 27 bytes
  // make every load below safe.
  if (from.size() < 27 || from[0] != std::byte{kHead}) return decode_any_order(from, message);
  const std::byte* at = from.data() + 1;
  std::uint64_t head = 0;
  std::uint64_t guid = 0;
  std::uint64_t length = 0;
  std::size_t size = get_varint8(at, head);
  at += size;
  if (size == 0 || *at != std::byte{kGuid}) [[unlikely]]
    return decode_any_order(from, message);
  size = get_varint8(at + 1, guid);
  at += 1 + size;
  if (size == 0 || *at != std::byte{kContent}) [[unlikely]]
    return decode_any_order(from, message);
  size = get_varint8(at + 1, length);
  at += 1 + size;
  const auto left = static_cast<std::uint64_t>(from.data() + from.size() - at);
  if (size == 0 || length != left || length > limits_.frame_size) [[unlikely]] {
    return decode_any_order(from, message);
  }
  const Bytes content(at, length);
  if (!is_ascii(content)) [[unlikely]]
    return decode_any_order(from, message);
  message.head = static_cast<std::int32_t>(head);
  message.guid = static_cast<std::int32_t>(guid);
  message.content = as_text(content);
  return {};
}

DecodeError ProtobufCodec::decode_any_order(Bytes from, Message& message) const noexcept {
  enum Seen : unsigned { kSawHead = 1, kSawGuid = 2, kSawContent = 4, kSawAll = 7 };
  unsigned seen = 0;
  protobuf::Reader reader(from, limits_);
  while (!reader.at_end()) {
    std::uint32_t tag = 0;
    if (!reader.tag(tag)) return reader.error();
    if (tag == kHead || tag == kGuid) {
      std::uint64_t value = 0;
      if (!reader.varint(value)) return reader.error();
      (tag == kHead ? message.head : message.guid) = static_cast<std::int32_t>(value);
      seen |= tag == kHead ? kSawHead : kSawGuid;
    } else if (tag == kContent) {
      Bytes content;
      if (!reader.bytes(content)) return reader.error();
      if (!is_utf8(content)) {
        const std::size_t start = reader.position() - content.size();
        return {DecodeErrorKind::invalid_utf8, start + utf8_prefix(content)};
      }
      message.content = as_text(content);
      seen |= kSawContent;
    } else if (!reader.skip(tag)) {
      return reader.error();
    }
  }
  if (seen != kSawAll) return {DecodeErrorKind::missing_field, from.size()};
  return {};
}

}  // namespace wiremark::wire
