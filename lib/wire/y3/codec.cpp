// The message as a Y3 packet: node 1 {1: head, 2: guid, 3: content}.
#include "wire/y3/codec.h"

#include <bit>
#include <cstdint>

#include "wire/copy_text.h"
#include "wire/y3/packet.h"

namespace wiremark::wire {

namespace {

using y3::Dialect;

constexpr y3::Tag kMessageTag = y3::node_tag(1);
constexpr unsigned kHeadId = 1;
constexpr unsigned kGuidId = 2;
constexpr unsigned kContentId = 3;

// Shorter packets are left to decode_any(): the fast path loads 8 bytes at a time, at most from
// byte 17 on, behind 3 bytes of root header and 2 * 7 bytes of integers.
constexpr std::size_t kFastSizeMin = 32;

// Reads a number of one or two bytes from a field with the tag `id` that starts in `word`. Returns
// how many bytes the number has, or 0 if this is no such field. Branches on the size, since a field
// tends to keep its size.
template <Dialect D>
std::size_t get_small(std::uint64_t word, unsigned id, std::int32_t& into) noexcept {
  constexpr bool kDraft = D == Dialect::draft01;
  const auto value = static_cast<std::uint32_t>(word >> 16);
  if ((word & (kDraft ? 0x80FFFF : 0xFFFF)) == (id | 0x100)) {
    into = kDraft ? static_cast<std::int8_t>(value << 1) >> 1 : static_cast<std::int8_t>(value);
    return 1;
  }
  if ((word & (kDraft ? 0x8080FFFF : 0xFFFF)) == (id | 0x200U | (kDraft ? 0x800000U : 0U))) {
    const std::uint32_t groups = (value & 0x7F) << 25 | (value & 0x7F00) << 10;
    into = kDraft ? static_cast<std::int32_t>(groups) >> 18
                  : static_cast<std::int16_t>(std::byteswap(static_cast<std::uint16_t>(value)));
    return 2;
  }
  return 0;
}

// These return nullptr for a field that is not in the usual form, valid or not.

template <Dialect D>
const std::byte* get_field(const std::byte* at, unsigned id, std::int32_t& into) noexcept {
  const auto word = load_le<std::uint64_t>(at);
  if (const std::size_t small = get_small<D>(word, id, into)) return at + 2 + small;
  const std::size_t size = word >> 8 & 0xFF;
  if ((word & 0xFF) != id || size - 1 >= y3::kIntBytesMax<std::int32_t>) return nullptr;
  std::int64_t value = 0;
  const std::uint64_t bytes = std::byteswap(word >> 16) >> (64 - 8 * size);
  if (!y3::int_from_word<D>(bytes, size, value)) return nullptr;
  into = static_cast<std::int32_t>(value);
  return into == value ? at + 2 + size : nullptr;
}

// A length of 1 or 2 bytes, without a branch on which: texts lie on both sides of 63 bytes.
const std::byte* get_header(const std::byte* at, unsigned tag, std::size_t& length) noexcept {
  const unsigned first = std::to_integer<unsigned>(at[1]);
  const unsigned second = std::to_integer<unsigned>(at[2]);
  const unsigned two = first >> 7;
  length = (first & 0x7F) << (7 * two) | (second & (0U - two));
  const unsigned unusual =
      (std::to_integer<unsigned>(at[0]) ^ tag) | (first & 0x40) | (two & second >> 7);
  return unusual == 0 ? at + 2 + two : nullptr;
}

}  // namespace

template <Dialect D>
std::size_t BasicY3Codec<D>::encode(const Message& message, MutableBytes to) const noexcept {
  if (to.size() < max_size(message)) return 0;
  const std::size_t content = message.content.size();
  const y3::Piece head = y3::int32_primitive<D>(kHeadId, message.head);
  const y3::Piece guid = y3::int32_primitive<D>(kGuidId, message.guid);
  const y3::Piece start = y3::header(y3::primitive_tag(kContentId), content);
  const std::size_t body = head.size + guid.size + start.size + content;
  if (body > static_cast<std::size_t>(y3::kLengthMax)) return 0;
  // With an empty content the last piece starts at byte 16 at most, so that max_size() has room for
  // the 8 bytes that put() stores.
  std::byte* at = y3::put(to.data(), y3::header(kMessageTag, body));
  at = y3::put(at, head);
  at = y3::put(at, guid);
  at = y3::put(at, start);
  copy_text(at, message.content);
  return static_cast<std::size_t>(at - to.data()) + content;
}

template <Dialect D>
DecodeError BasicY3Codec<D>::decode(Bytes from, Message& into) const noexcept {
  if (from.size() < kFastSizeMin || from.size() > limits_.frame_size) {
    return decode_any(from, into);
  }
  const std::byte* const end = from.data() + from.size();
  std::size_t length = 0;
  const std::byte* at = get_header(from.data(), kMessageTag.bits, length);
  if (at == nullptr || length != static_cast<std::size_t>(end - at)) return decode_any(from, into);
  if ((at = get_field<D>(at, kHeadId, into.head)) == nullptr) return decode_any(from, into);
  if ((at = get_field<D>(at, kGuidId, into.guid)) == nullptr) return decode_any(from, into);
  at = get_header(at, kContentId, length);
  if (at == nullptr || length != static_cast<std::size_t>(end - at)) return decode_any(from, into);
  into.content = as_text({at, length});
  return {};
}

template <Dialect D>
DecodeError BasicY3Codec<D>::decode_any(Bytes from, Message& into) const noexcept {
  if (!from.empty() && y3::Tag{std::to_integer<std::uint8_t>(from[0])} != kMessageTag) {
    return {DecodeErrorKind::invalid_tag, 0};
  }
  if (from.size() > limits_.frame_size) return {DecodeErrorKind::too_large, 0};
  y3::Reader packets(from);
  y3::Packet root;
  if (auto error = packets.next(root)) return error;
  unsigned seen = 0;
  y3::Reader fields = y3::Reader::children(from, root);
  while (!fields.done()) {
    const std::size_t field_offset = fields.offset();
    y3::Packet field;
    if (auto error = fields.next(field)) return error;
    const unsigned id = field.tag.id();
    if (id < kHeadId || id > kContentId) {
      if (!field.tag.is_node()) continue;
      if (limits_.depth < 2) return {DecodeErrorKind::depth_exceeded, field_offset};
      if (auto error = y3::check_below(from, field, 2, limits_)) return error;
      continue;
    }
    if (field.tag.is_node()) return {DecodeErrorKind::wrong_type, field_offset};
    if ((seen & 1U << id) != 0) return {DecodeErrorKind::duplicate_field, field_offset};
    seen |= 1U << id;
    if (id == kContentId) {
      into.content = as_text(field.value);
      continue;
    }
    const DecodeErrorKind error =
        y3::get_int<D>(field.value, id == kHeadId ? into.head : into.guid);
    if (error != DecodeErrorKind::none) return {error, field.value_offset};
  }
  if (!packets.done()) return {DecodeErrorKind::trailing_data, packets.offset()};
  constexpr unsigned kAll = 1U << kHeadId | 1U << kGuidId | 1U << kContentId;
  if (seen != kAll) return {DecodeErrorKind::missing_field, fields.offset()};
  return {};
}

template class BasicY3Codec<Dialect::draft01>;
template class BasicY3Codec<Dialect::y3>;

}  // namespace wiremark::wire
