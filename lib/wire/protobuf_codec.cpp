// Fields in any order, unknown ones among them, and everything that is wrong with a packet.
#include "wire/protobuf_codec.h"

#include "wire/protobuf_wire.h"
#include "wire/utf8.h"

namespace wiremark::wire {

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
