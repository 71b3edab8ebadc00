// The envelopes of experiment E4 in Y3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "wire/codec.h"
#include "wire/decode_error.h"
#include "wire/envelope.h"
#include "wire/y3/varint.h"

namespace wiremark::wire {

///   nest   node 1 {1: type, 2: payload}, the payload being a packet of its own: node 1 {1: body}
///   union  node 1 {1: type, node 2 {1: member, 2: body}}
///
/// Sequence ids end at 63, too few for 100 members, so the member of a union carries its number as
/// a value. If that is not the type, the member of the type is missing: missing_field, as in other
/// formats.
///
/// Other errors are those of the concept and of BasicY3Codec.
template <y3::Dialect D>
class BasicY3Envelope {
 public:
  static constexpr std::string_view kName = D == y3::Dialect::draft01 ? "y3" : "y3-nvar";

  explicit BasicY3Envelope(Limits limits = {}) noexcept : limits_(limits) {}

  std::size_t max_size(const Envelope& envelope) const noexcept {
    // The longer layout has three headers of 6 bytes and two integers of 7; put() stores 8 bytes.
    return 3 * 6 + 2 * 7 + 8 + envelope.body.size();
  }
  std::size_t encode_nest(const Envelope& envelope, MutableBytes to) const noexcept;
  std::size_t encode_union(const Envelope& envelope, MutableBytes to) const noexcept;
  DecodeError decode_nest(Bytes from, Envelope& into) const noexcept;
  DecodeError decode_union(Bytes from, Envelope& into) const noexcept;
  DecodeError route(Bytes from, std::int32_t& type, Bytes& inner) const noexcept;

 private:
  Limits limits_;
};

extern template class BasicY3Envelope<y3::Dialect::draft01>;
extern template class BasicY3Envelope<y3::Dialect::y3>;

using Y3Envelope = BasicY3Envelope<y3::Dialect::draft01>;
using Y3NvarEnvelope = BasicY3Envelope<y3::Dialect::y3>;

static_assert(EnvelopeCodec<Y3Envelope> && EnvelopeCodec<Y3NvarEnvelope>);

}  // namespace wiremark::wire
