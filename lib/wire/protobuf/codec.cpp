// Decodes packets of any field order, with unknown fields, and names what is wrong with a packet.
#include "wire/protobuf/codec.h"

#include "wire/protobuf/wire.h"
#include "wire/utf8.h"

namespace wiremark::wire {

using protobuf::kContentTag;
using protobuf::kGuidTag;
using protobuf::kHeadTag;

DecodeError ProtobufCodec::decode_any_numbers(Bytes from, Message& message) const noexcept {
  const std::byte* at = from.data();
  const std::byte* const end = at + from.size();
  std::uint64_t head = 0;
  std::uint64_t guid = 0;
  Bytes content;
  // Eight bytes hold two numbers of two bytes, and the tag and length of a content.
  if (from.size() < 8 || !protobuf::get_field(at, end, kHeadTag, head) ||
      !protobuf::get_field(at, end, kGuidTag, guid) ||
      !protobuf::get_last_bytes(Bytes(at, end), kContentTag, content) ||
      content.size() > limits_.frame_size || !is_utf8(content)) {
    return decode_any_order(from, message);
  }
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
    if (tag == kHeadTag || tag == kGuidTag) {
      std::uint64_t value = 0;
      if (!reader.varint(value)) return reader.error();
      (tag == kHeadTag ? message.head : message.guid) = static_cast<std::int32_t>(value);
      seen |= tag == kHeadTag ? kSawHead : kSawGuid;
    } else if (tag == kContentTag) {
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
