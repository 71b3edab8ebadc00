// One layout is written and read as a constant; every other one is walked.
#include "wire/flatbuffers_codec.h"

#include <array>
#include <bit>
#include <cstring>

#include "wire/flatbuffers_wire.h"

namespace wiremark::wire {
namespace {

// At 0 the offset of the table; at 4 the vtable (its size, the table's size, where head, guid and
// content stand in the table) and two bytes of padding; at 16 the table: the way back to its
// vtable, head, guid, and the offset of the string, which is its length, its bytes and a zero.
constexpr std::array<std::uint8_t, 20> kStart = {16, 0, 0,  0, 10, 0, 16, 0, 4, 0,
                                                 8,  0, 12, 0, 0,  0, 12, 0, 0, 0};
constexpr std::size_t kHeadAt = 20;
constexpr std::size_t kGuidAt = 24;
constexpr std::size_t kTextOffsetAt = 28;
constexpr std::uint32_t kTextOffset = 4;
constexpr std::size_t kLengthAt = 32;

enum Field : unsigned { kHead, kGuid, kContent };

bool starts_as_ours(Bytes from) {
  constexpr auto kWords = std::bit_cast<std::array<std::uint32_t, 5>>(kStart);
  std::array<std::uint32_t, 5> words;
  std::memcpy(words.data(), from.data(), sizeof words);
  std::uint32_t difference = load_le<std::uint32_t>(from.data() + kTextOffsetAt) ^ kTextOffset;
  for (std::size_t i = 0; i < words.size(); ++i) difference |= words[i] ^ kWords[i];
  return difference == 0;
}

}  // namespace

std::size_t FlatbuffersCodec::encode(const Message& message, MutableBytes to) const noexcept {
  const std::size_t length = message.content.size();
  if (to.size() < max_size(message) || length > INT32_MAX) return 0;
  std::byte* const at = to.data();
  std::memcpy(at, kStart.data(), kStart.size());
  store_le(at + kHeadAt, static_cast<std::uint32_t>(message.head));
  store_le(at + kGuidAt, static_cast<std::uint32_t>(message.guid));
  store_le(at + kTextOffsetAt, kTextOffset);
  store_le(at + kLengthAt, static_cast<std::uint32_t>(length));
  const std::size_t size = flatbuffers::round_up(kContentAt + length + 1, 4);
  // The last word is cleared first: the content then leaves the terminator and the padding.
  store_le(at + size - 4, std::uint32_t{0});
  if (length != 0) std::memcpy(at + kContentAt, message.content.data(), length);
  return size;
}

DecodeError FlatbuffersCodec::decode(Bytes from, Message& message) const noexcept {
  if (from.size() <= kContentAt || !starts_as_ours(from)) [[unlikely]] {
    return decode_any_layout(from, message);
  }
  const std::byte* const at = from.data();
  const std::size_t length = load_le<std::uint32_t>(at + kLengthAt);
  if (length >= from.size() - kContentAt || length > limits_.frame_size ||
      at[kContentAt + length] != std::byte{0}) [[unlikely]] {
    return decode_any_layout(from, message);
  }
  message.head = static_cast<std::int32_t>(load_le<std::uint32_t>(at + kHeadAt));
  message.guid = static_cast<std::int32_t>(load_le<std::uint32_t>(at + kGuidAt));
  message.content = as_text(from.subspan(kContentAt, length));
  return {};
}

DecodeError FlatbuffersCodec::decode_any_layout(Bytes from, Message& message) const noexcept {
  flatbuffers::Reader reader(from, limits_);
  flatbuffers::Table table;
  std::size_t head = 0;
  std::size_t guid = 0;
  Bytes content;
  if (!reader.root(table) || !reader.scalar(table, kHead, 4, head) ||
      !reader.scalar(table, kGuid, 4, guid) || !reader.text(table, kContent, content)) {
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
