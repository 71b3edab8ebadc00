// Envelopes as protocol buffers: the layouts differ in one tag, of the payload or of the member.
#include "wire/protobuf/envelope.h"

#include <cstring>

#include "wire/protobuf/wire.h"

namespace wiremark::wire {
namespace {

using protobuf::Reader;
using protobuf::tag_of;
using protobuf::WireType;

constexpr std::uint32_t kBody = tag_of(1, WireType::bytes);

constexpr std::uint32_t member_tag(std::int32_t type) {
  return tag_of(static_cast<std::uint32_t>(type) + 1, WireType::bytes);
}

constexpr bool known(std::int32_t type) { return type >= 1 && type <= kMaxEnvelopeType; }

/// The body of an encoded Member that starts at `offset` of its packet.
DecodeError read_member(Bytes from, const Limits& limits, std::size_t offset, Bytes& body) {
  Reader reader(from, limits, offset);
  bool found = false;
  while (!reader.at_end()) {
    std::uint32_t tag = 0;
    if (!reader.tag(tag)) return reader.error();
    if (tag == kBody) {
      if (!reader.bytes(body)) return reader.error();
      found = true;
    } else if (!reader.skip(tag)) {
      return reader.error();
    }
  }
  if (!found) return {DecodeErrorKind::missing_field, offset + from.size()};
  return {};
}

}  // namespace

std::size_t ProtobufEnvelope::encode(const Envelope& envelope, std::uint32_t tag,
                                     MutableBytes to) const noexcept {
  const std::size_t length = envelope.body.size();
  if (to.size() < max_size(envelope) || length > INT32_MAX - 8 || !known(envelope.type)) return 0;
  // The length of the inner message comes first: a tag, the length of the body, and the body.
  std::size_t inner = 2 + length;
  for (std::size_t rest = length >> 7; rest != 0; rest >>= 7) ++inner;
  std::byte* at = to.data();
  *at++ = static_cast<std::byte>(kTypeTag);
  at = protobuf::put_int32(at, envelope.type);
  at = protobuf::put_uint31(at, tag);
  at = protobuf::put_uint31(at, static_cast<std::uint32_t>(inner));
  *at++ = static_cast<std::byte>(kBody);
  at = protobuf::put_uint31(at, static_cast<std::uint32_t>(length));
  if (length != 0) std::memcpy(at, envelope.body.data(), length);
  return static_cast<std::size_t>(at - to.data()) + length;
}

std::size_t ProtobufEnvelope::encode_nest(const Envelope& envelope,
                                          MutableBytes to) const noexcept {
  return encode(envelope, kPayloadTag, to);
}

std::size_t ProtobufEnvelope::encode_union(const Envelope& envelope,
                                           MutableBytes to) const noexcept {
  return encode(envelope, member_tag(envelope.type), to);
}

DecodeError ProtobufEnvelope::route_any_order(Bytes from, std::int32_t& type,
                                              Bytes& inner) const noexcept {
  if (from.size() > limits_.frame_size) return {DecodeErrorKind::too_large, 0};
  Reader reader(from, limits_);
  bool saw_type = false;
  bool saw_payload = false;
  while (!reader.at_end()) {
    std::uint32_t tag = 0;
    if (!reader.tag(tag)) return reader.error();
    if (tag == kTypeTag) {
      std::uint64_t number = 0;
      if (!reader.varint(number)) return reader.error();
      type = static_cast<std::int32_t>(number);
      saw_type = true;
    } else if (tag == kPayloadTag) {
      if (!reader.bytes(inner)) return reader.error();
      saw_payload = true;
    } else if (!reader.skip(tag)) {
      return reader.error();
    }
  }
  if (!saw_type || !saw_payload) return {DecodeErrorKind::missing_field, from.size()};
  return {};
}

DecodeError ProtobufEnvelope::decode_nest(Bytes from, Envelope& envelope) const noexcept {
  Bytes inner;
  if (const DecodeError error = route(from, envelope.type, inner)) return error;
  if (!known(envelope.type)) return {DecodeErrorKind::number_out_of_range, 0};
  const auto offset = static_cast<std::size_t>(inner.data() - from.data());
  return read_member(inner, limits_, offset, envelope.body);
}

DecodeError ProtobufEnvelope::decode_union(Bytes from, Envelope& envelope) const noexcept {
  if (from.size() > limits_.frame_size) return {DecodeErrorKind::too_large, 0};
  // The member may come before the type that names it. So the first pass reads whatever member it
  // meets; if the last one was not the right one, a second pass looks for that.
  constexpr std::uint32_t kLastMember = member_tag(kMaxEnvelopeType);
  std::uint32_t last = 0;
  bool saw_type = false;
  const auto pass = [&](std::uint32_t wanted) -> DecodeError {
    Reader reader(from, limits_);
    while (!reader.at_end()) {
      std::uint32_t tag = 0;
      if (!reader.tag(tag)) return reader.error();
      if (tag == kTypeTag) {
        std::uint64_t number = 0;
        if (!reader.varint(number)) return reader.error();
        envelope.type = static_cast<std::int32_t>(number);
        saw_type = true;
      } else if ((tag & 7) == (kBody & 7) && tag <= kLastMember && (!wanted || tag == wanted)) {
        Bytes member;
        if (!reader.bytes(member)) return reader.error();
        const std::size_t offset = reader.position() - member.size();
        if (const auto error = read_member(member, limits_, offset, envelope.body)) return error;
        last = tag;
      } else if (!reader.skip(tag)) {
        return reader.error();
      }
    }
    return {};
  };
  if (const DecodeError error = pass(0)) return error;
  if (!saw_type) return {DecodeErrorKind::missing_field, from.size()};
  if (!known(envelope.type)) return {DecodeErrorKind::number_out_of_range, 0};
  const std::uint32_t wanted = member_tag(envelope.type);
  if (last != wanted) {
    if (const DecodeError error = pass(wanted)) return error;
  }
  if (last != wanted) return {DecodeErrorKind::missing_field, from.size()};
  return {};
}

}  // namespace wiremark::wire
