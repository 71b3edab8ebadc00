// Envelopes as protocol buffers: Nest and Union of schemas/envelope.proto, without the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "wire/codec.h"
#include "wire/envelope.h"

namespace wiremark::wire {

/// Fields in any order, unknown ones stepped over, the last of several counts.
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

  std::size_t encode(const Envelope& envelope, std::uint32_t tag, MutableBytes to) const noexcept;

  Limits limits_;
};

static_assert(EnvelopeCodec<ProtobufEnvelope>);

}  // namespace wiremark::wire
