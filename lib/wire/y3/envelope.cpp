// The envelopes of experiment E4 in Y3.
#include "wire/y3/envelope.h"

#include <array>

#include "wire/copy_text.h"
#include "wire/y3/packet.h"

namespace wiremark::wire {

namespace {

using y3::Dialect;

constexpr y3::Tag kEnvelopeTag = y3::node_tag(1);
constexpr y3::Tag kFirst = y3::primitive_tag(1);
constexpr y3::Tag kSecond = y3::primitive_tag(2);
constexpr y3::Tag kMember = y3::node_tag(2);

// Reads the children of a node with the ids 1 and up, which must have the tags `wanted` and be
// there exactly once. Others are skipped, and checked where they are nodes.
template <std::size_t N>
DecodeError get_fields(Bytes from, const y3::Packet& node, unsigned depth, const Limits& limits,
                       const std::array<y3::Tag, N>& wanted,
                       std::array<y3::Packet, N>& into) noexcept {
  unsigned seen = 0;
  y3::Reader fields = y3::Reader::children(from, node);
  while (!fields.done()) {
    const std::size_t offset = fields.offset();
    y3::Packet field;
    if (auto error = fields.next(field)) return error;
    const std::size_t index = field.tag.id() - std::size_t{1};
    if (index < N) {
      if (field.tag != wanted[index]) return {DecodeErrorKind::wrong_type, offset};
      if ((seen & 1U << index) != 0) return {DecodeErrorKind::duplicate_field, offset};
      seen |= 1U << index;
      into[index] = field;
    } else if (field.tag.is_node()) {
      if (depth + 1 > limits.depth) return {DecodeErrorKind::depth_exceeded, offset};
      if (auto error = y3::check_below(from, field, depth + 1, limits)) return error;
    }
  }
  if (seen != (1U << N) - 1) return {DecodeErrorKind::missing_field, fields.offset()};
  return {};
}

// get_fields() of the root node, which is all of `from`.
template <std::size_t N>
DecodeError get_root(Bytes from, const Limits& limits, const std::array<y3::Tag, N>& wanted,
                     std::array<y3::Packet, N>& into) noexcept {
  if (!from.empty() && from[0] != std::byte{kEnvelopeTag.bits})
    return {DecodeErrorKind::invalid_tag, 0};
  if (from.size() > limits.frame_size) return {DecodeErrorKind::too_large, 0};
  y3::Reader packets(from);
  y3::Packet root;
  if (auto error = packets.next(root)) return error;
  if (auto error = get_fields(from, root, 1, limits, wanted, into)) return error;
  if (!packets.done()) return {DecodeErrorKind::trailing_data, packets.offset()};
  return {};
}

template <Dialect D>
DecodeError get_number(const y3::Packet& field, std::int32_t& into) noexcept {
  const DecodeErrorKind error = y3::get_int<D>(field.value, into);
  if (error != DecodeErrorKind::none) return {error, field.value_offset};
  return {};
}

template <Dialect D>
DecodeError get_type(const y3::Packet& field, std::int32_t& into) noexcept {
  if (auto error = get_number<D>(field, into)) return error;
  if (into < 1 || into > kMaxEnvelopeType) {
    return {DecodeErrorKind::number_out_of_range, field.value_offset};
  }
  return {};
}

std::size_t put_body(std::byte* at, Bytes body, const std::byte* begin) noexcept {
  copy_text(at, as_text(body));
  return static_cast<std::size_t>(at - begin) + body.size();
}

}  // namespace

template <Dialect D>
std::size_t BasicY3Envelope<D>::encode_nest(const Envelope& envelope,
                                            MutableBytes to) const noexcept {
  if (to.size() < max_size(envelope)) return 0;
  const y3::Piece type = y3::int32_primitive<D>(kFirst.id(), envelope.type);
  const y3::Piece field = y3::header(kFirst, envelope.body.size());
  const y3::Piece inner = y3::header(kEnvelopeTag, field.size + envelope.body.size());
  const std::size_t length = inner.size + field.size + envelope.body.size();
  const y3::Piece payload = y3::header(kSecond, length);
  const std::size_t body = type.size + payload.size + length;
  if (body > static_cast<std::size_t>(y3::kLengthMax)) return 0;
  std::byte* at = y3::put(to.data(), y3::header(kEnvelopeTag, body));
  for (const y3::Piece piece : {type, payload, inner, field}) at = y3::put(at, piece);
  return put_body(at, envelope.body, to.data());
}

template <Dialect D>
std::size_t BasicY3Envelope<D>::encode_union(const Envelope& envelope,
                                             MutableBytes to) const noexcept {
  if (to.size() < max_size(envelope)) return 0;
  const y3::Piece type = y3::int32_primitive<D>(kFirst.id(), envelope.type);
  const y3::Piece field = y3::header(kSecond, envelope.body.size());
  const std::size_t length = type.size + field.size + envelope.body.size();
  const y3::Piece member = y3::header(kMember, length);
  const std::size_t body = type.size + member.size + length;
  if (body > static_cast<std::size_t>(y3::kLengthMax)) return 0;
  std::byte* at = y3::put(to.data(), y3::header(kEnvelopeTag, body));
  for (const y3::Piece piece : {type, member, type, field}) at = y3::put(at, piece);
  return put_body(at, envelope.body, to.data());
}

template <Dialect D>
DecodeError BasicY3Envelope<D>::route(Bytes from, std::int32_t& type, Bytes& inner) const noexcept {
  std::array<y3::Packet, 2> fields;
  if (auto error = get_root(from, limits_, std::array{kFirst, kSecond}, fields)) return error;
  inner = fields[1].value;
  return get_number<D>(fields[0], type);
}

template <Dialect D>
DecodeError BasicY3Envelope<D>::decode_nest(Bytes from, Envelope& into) const noexcept {
  std::array<y3::Packet, 2> fields;
  if (auto error = get_root(from, limits_, std::array{kFirst, kSecond}, fields)) return error;
  if (auto error = get_type<D>(fields[0], into.type)) return error;
  std::array<y3::Packet, 1> inner;
  if (auto error = get_root(fields[1].value, limits_, std::array{kFirst}, inner)) {
    return {error.kind, fields[1].value_offset + error.offset};
  }
  into.body = inner[0].value;
  return {};
}

template <Dialect D>
DecodeError BasicY3Envelope<D>::decode_union(Bytes from, Envelope& into) const noexcept {
  std::array<y3::Packet, 2> fields;
  if (auto error = get_root(from, limits_, std::array{kFirst, kMember}, fields)) return error;
  if (auto error = get_type<D>(fields[0], into.type)) return error;
  std::array<y3::Packet, 2> member;
  if (auto error = get_fields(from, fields[1], 2, limits_, std::array{kFirst, kSecond}, member)) {
    return error;
  }
  std::int32_t number = 0;
  if (auto error = get_number<D>(member[0], number)) return error;
  if (number != into.type) return {DecodeErrorKind::missing_field, member[0].value_offset};
  into.body = member[1].value;
  return {};
}

template class BasicY3Envelope<Dialect::draft01>;
template class BasicY3Envelope<Dialect::y3>;

}  // namespace wiremark::wire
