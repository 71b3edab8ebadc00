// Envelopes as FlatBuffers: Nest and Union of schemas/envelope.fbs, without the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "wire/codec.h"
#include "wire/envelope.h"

namespace wiremark::wire {

/// Writes one fixed layout, and reads every layout that the verifier accepts. Only what is read is
/// checked, not the members that the type does not name.
class FlatbuffersEnvelope {
 public:
  static constexpr std::string_view kName = "flatbuffers";

  FlatbuffersEnvelope() = default;
  explicit FlatbuffersEnvelope(const Limits& limits) noexcept : limits_(limits) {}

  std::size_t max_size(const Envelope& envelope) const noexcept {
    return kMaxOverhead + envelope.body.size();
  }
  std::size_t encode_nest(const Envelope& envelope, MutableBytes to) const noexcept;
  std::size_t encode_union(const Envelope& envelope, MutableBytes to) const noexcept;
  DecodeError decode_nest(Bytes from, Envelope& envelope) const noexcept;
  DecodeError decode_union(Bytes from, Envelope& envelope) const noexcept;
  DecodeError route(Bytes from, std::int32_t& type, Bytes& inner) const noexcept;

 private:
  // The vtable of the union has an entry of two bytes per type; all else is under 60 bytes.
  static constexpr std::size_t kMaxOverhead = 64 + 2 * kMaxEnvelopeType;

  Limits limits_;
};

static_assert(EnvelopeCodec<FlatbuffersEnvelope>);

}  // namespace wiremark::wire
