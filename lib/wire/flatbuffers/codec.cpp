// Decodes messages of any layout, not only that of our own encoder, by walking the tables.
#include "wire/flatbuffers/codec.h"

#include "wire/flatbuffers/wire.h"

namespace wiremark::wire {
namespace {

enum MessageField : unsigned { kHeadField, kGuidField, kContentField };

}  // namespace

DecodeError FlatbuffersCodec::decode_any_layout(Bytes from, Message& message) const noexcept {
  flatbuffers::Reader reader(from, limits_);
  flatbuffers::Table table;
  std::size_t head = 0;
  std::size_t guid = 0;
  Bytes content;
  if (!reader.root(table) || !reader.scalar(table, kHeadField, 4, head) ||
      !reader.scalar(table, kGuidField, 4, guid) || !reader.text(table, kContentField, content)) {
    return reader.error();
  }
  const auto number = [&reader](std::size_t at) {
    return at == 0 ? 0 : static_cast<std::int32_t>(reader.load<std::uint32_t>(at));
  };
  message.head = number(head);
  message.guid = number(guid);
  message.content = as_text(content);
  return {};
}

}  // namespace wiremark::wire
