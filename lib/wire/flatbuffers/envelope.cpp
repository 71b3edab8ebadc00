// Encodes envelopes as constants into which the type, two sizes and the body are put.
#include "wire/flatbuffers/envelope.h"

#include <array>
#include <cstring>

#include "wire/flatbuffers/wire.h"

namespace wiremark::wire {
namespace {

using flatbuffers::round_up;

// The vtable of a Nest: its size, the table's size, where type and payload are.
constexpr std::array<std::uint16_t, 4> kNestVtable = {8, 12, 4, 8};

// A Member with the vtable in front of it: the vtable's size, the table's size, where the body is.
constexpr std::array<std::uint16_t, 3> kMemberVtable = {6, 8, 4};

enum EnvelopeField : unsigned { kTypeField, kPayloadField };
constexpr unsigned kBodyField = 0;

std::byte* put16(std::byte* to, std::uint16_t value) {
  store_le(to, value);
  return to + 2;
}

std::byte* put32(std::byte* to, std::size_t value) {
  store_le(to, static_cast<std::uint32_t>(value));
  return to + 4;
}

std::byte* put_member_vtable(std::byte* to) {
  for (const std::uint16_t entry : kMemberVtable) to = put16(to, entry);
  return to;
}

/// Writes a vector of bytes, padded to a multiple of four; returns where it ends.
std::byte* put_bytes(std::byte* to, Bytes bytes) {
  const std::size_t size = round_up(4 + bytes.size(), 4);
  store_le(to + size - 4, std::uint32_t{0});
  put32(to, bytes.size());
  if (!bytes.empty()) std::memcpy(to + 4, bytes.data(), bytes.size());
  return to + size;
}

// The inner buffer of a nest: root offset, two bytes of padding, vtable, table, body.
constexpr std::size_t kInnerTable = 12;
constexpr std::size_t kInnerBody = 20;

// What encode_nest() writes in front of the type, and in front of the body of the inner buffer.
constexpr std::array<std::uint8_t, 16> kNestStart = {12, 0, 0, 0, 8, 0, 12, 0,
                                                     4,  0, 8, 0, 8, 0, 0,  0};
constexpr std::array<std::uint8_t, 20> kInnerStart = {12, 0, 0, 0, 0, 0, 6, 0, 8, 0,
                                                      4,  0, 6, 0, 0, 0, 4, 0, 0, 0};
constexpr std::size_t kNestPayload = 24;

/// The vector of bytes at `at`, where it lies inside.
bool is_vector(Bytes from, std::size_t at, const Limits& limits, Bytes& value) {
  const std::size_t size = load_le<std::uint32_t>(from.data() + at);
  if (size > limits.frame_size || size > from.size() - at - 4) return false;
  value = from.subspan(at + 4, size);
  return true;
}

/// Reads the layout that we write ourselves; false for every other, valid or not.
bool read_own_nest(Bytes from, const Limits& limits, std::int32_t& type, Bytes& inner) {
  if (from.size() < kNestPayload + 4 ||
      std::memcmp(from.data(), kNestStart.data(), kNestStart.size()) != 0 ||
      load_le<std::uint32_t>(from.data() + kNestPayload - 4) != 4) {
    return false;
  }
  type = static_cast<std::int32_t>(load_le<std::uint32_t>(from.data() + kNestStart.size()));
  return is_vector(from, kNestPayload, limits, inner);
}

bool read_own_inner(Bytes from, const Limits& limits, Bytes& body) {
  return from.size() >= kInnerBody + 4 &&
         std::memcmp(from.data(), kInnerStart.data(), kInnerStart.size()) == 0 &&
         is_vector(from, kInnerBody, limits, body);
}

DecodeError shifted(DecodeError error, std::size_t by) { return {error.kind, error.offset + by}; }

constexpr bool known(std::int32_t type) { return type >= 1 && type <= kMaxEnvelopeType; }

}  // namespace

std::size_t FlatbuffersEnvelope::encode_nest(const Envelope& envelope,
                                             MutableBytes to) const noexcept {
  const std::size_t length = envelope.body.size();
  if (to.size() < max_size(envelope) || length > INT32_MAX / 2 || !known(envelope.type)) return 0;
  std::byte* at = put32(to.data(), 12);
  for (const std::uint16_t entry : kNestVtable) at = put16(at, entry);
  at = put32(at, sizeof kNestVtable);
  at = put32(at, static_cast<std::uint32_t>(envelope.type));
  at = put32(at, 4);
  at = put32(at, kInnerBody + round_up(4 + length, 4));
  at = put32(at, kInnerTable);
  at = put16(at, 0);
  at = put_member_vtable(at);
  at = put32(at, sizeof kMemberVtable);
  at = put32(at, 4);
  at = put_bytes(at, envelope.body);
  return static_cast<std::size_t>(at - to.data());
}

std::size_t FlatbuffersEnvelope::encode_union(const Envelope& envelope,
                                              MutableBytes to) const noexcept {
  const std::size_t length = envelope.body.size();
  if (to.size() < max_size(envelope) || length > INT32_MAX / 2 || !known(envelope.type)) return 0;
  // Root offset, vtable of the member, vtable of the union, padding, union, member, body.
  const auto last = static_cast<unsigned>(envelope.type);  // The id of the member's field.
  constexpr std::size_t kMemberVtableAt = 4;
  constexpr std::size_t kVtableAt = kMemberVtableAt + sizeof kMemberVtable;
  const std::size_t vtable_size = flatbuffers::vtable_entry(last) + 2;
  const std::size_t table = round_up(kVtableAt + vtable_size, 4);
  std::byte* at = put32(to.data(), table);
  at = put_member_vtable(at);
  at = put16(at, static_cast<std::uint16_t>(vtable_size));
  at = put16(at, 12);
  at = put16(at, 4);
  // Every member but the last is absent, and the padding behind the vtable is 0 as well.
  std::memset(at, 0, static_cast<std::size_t>(to.data() + table - at));
  put16(to.data() + kVtableAt + flatbuffers::vtable_entry(last), 8);
  at = put32(to.data() + table, table - kVtableAt);
  at = put32(at, static_cast<std::uint32_t>(envelope.type));
  at = put32(at, 4);
  at = put32(at, table + 12 - kMemberVtableAt);
  at = put32(at, 4);
  at = put_bytes(at, envelope.body);
  return static_cast<std::size_t>(at - to.data());
}

DecodeError FlatbuffersEnvelope::route(Bytes from, std::int32_t& type,
                                       Bytes& inner) const noexcept {
  if (read_own_nest(from, limits_, type, inner)) [[likely]]
    return {};
  flatbuffers::Reader reader(from, limits_);
  flatbuffers::Table table;
  std::size_t type_at = 0;
  if (!reader.root(table) || !reader.scalar(table, kTypeField, 4, type_at) ||
      !reader.bytes(table, kPayloadField, inner)) {
    return reader.error();
  }
  type = type_at == 0 ? 0 : static_cast<std::int32_t>(reader.load<std::uint32_t>(type_at));
  return {};
}

DecodeError FlatbuffersEnvelope::decode_nest(Bytes from, Envelope& envelope) const noexcept {
  Bytes inner;
  if (const DecodeError error = route(from, envelope.type, inner)) return error;
  if (!known(envelope.type)) return {DecodeErrorKind::number_out_of_range, 0};
  if (read_own_inner(inner, limits_, envelope.body)) [[likely]]
    return {};
  flatbuffers::Reader reader(inner, limits_);
  flatbuffers::Table member;
  if (!reader.root(member) || !reader.bytes(member, kBodyField, envelope.body)) {
    return shifted(reader.error(), static_cast<std::size_t>(inner.data() - from.data()));
  }
  return {};
}

DecodeError FlatbuffersEnvelope::decode_union(Bytes from, Envelope& envelope) const noexcept {
  flatbuffers::Reader reader(from, limits_);
  flatbuffers::Table table;
  std::size_t type_at = 0;
  if (!reader.root(table) || !reader.scalar(table, kTypeField, 4, type_at)) return reader.error();
  envelope.type = type_at == 0 ? 0 : static_cast<std::int32_t>(reader.load<std::uint32_t>(type_at));
  if (!known(envelope.type)) return {DecodeErrorKind::number_out_of_range, type_at};
  flatbuffers::Table member;
  if (!reader.child(table, static_cast<unsigned>(envelope.type), member) ||
      !reader.bytes(member, kBodyField, envelope.body)) {
    return reader.error();
  }
  return {};
}

}  // namespace wiremark::wire
