// Envelopes as protocol buffers: Nest and Union of schemas/envelope.proto, without the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "wire/codec.h"
#include "wire/envelope.h"
#include "wire/protobuf/wire.h"

namespace wiremark::wire {

/// Fields in any order, unknown ones skipped, the last of several counts.
class ProtobufEnvelope {
 public:
  static constexpr std::string_view kName = "protobuf";

  ProtobufEnvelope() = default;
  explicit ProtobufEnvelope(const Limits& limits) noexcept : limits_(limits) {}

  std::size_t max_size(const Envelope& envelope) const noexcept {
    return kMaxOverhead + envelope.body.size();
  }
  std::size_t encode_nest(const Envelope& envelope, MutableBytes to) const noexcept;
  std::size_t encode_union(const Envelope& envelope, MutableBytes to) const noexcept;
  DecodeError decode_nest(Bytes from, Envelope& envelope) const noexcept;
  DecodeError decode_union(Bytes from, Envelope& envelope) const noexcept;
  DecodeError route(Bytes from, std::int32_t& type, Bytes& inner) const noexcept;

 private:
  // A tag and a number of up to ten bytes, twice a tag of up to two and a length of up to five, and
  // the eight bytes that a number may overwrite.
  static constexpr std::size_t kMaxOverhead = 11 + 2 * 7 + 8;

  static constexpr std::uint32_t kTypeTag = protobuf::tag_of(1, protobuf::WireType::varint);
  static constexpr std::uint32_t kPayloadTag = protobuf::tag_of(2, protobuf::WireType::bytes);

  std::size_t encode(const Envelope& envelope, std::uint32_t tag, MutableBytes to) const noexcept;
  DecodeError route_any_order(Bytes from, std::int32_t& type, Bytes& inner) const noexcept;

  Limits limits_;
};

inline DecodeError ProtobufEnvelope::route(Bytes from, std::int32_t& type,
                                           Bytes& inner) const noexcept {
  // Inline, for the field order that every encoder writes: routing most packets then takes less
  // time than a call that returns its results in memory.
  const std::byte* at = from.data();
  std::uint64_t number = 0;
  Bytes payload;
  if (from.size() >= 5 && from.size() <= limits_.frame_size &&
      protobuf::get_field(at, at + from.size(), kTypeTag, number) &&
      protobuf::get_last_bytes(Bytes(at, from.data() + from.size()), kPayloadTag, payload))
      [[likely]] {
    type = static_cast<std::int32_t>(number);
    inner = payload;
    return {};
  }
  std::int32_t any_type = 0;
  const DecodeError error = route_any_order(from, any_type, payload);
  type = any_type;
  inner = payload;
  return error;
}

static_assert(EnvelopeCodec<ProtobufEnvelope>);

}  // namespace wiremark::wire
