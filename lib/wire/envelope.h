// Messages of many types behind one: an envelope whose type says what is inside (experiment E4).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "wire/codec.h"
#include "wire/decode_error.h"

namespace wiremark::wire {

/// Types run from 1 to this, as M1 .. M100 of the experiment.
inline constexpr std::int32_t kMaxEnvelopeType = 100;

/// The type, and the only field of the message inside: its body, which is not checked for UTF-8.
/// Both layouts of the experiment carry these. The body of a decoded envelope borrows its bytes.
struct Envelope {
  std::int32_t type = 1;
  Bytes body;
};

/// A format for envelopes; constructed from Limits, for one thread like a Codec.
///
///   kName                     the name users write, such as "protobuf"
///   max_size(e)               the most bytes that either layout takes
///   encode_nest(e, to)        {type, payload}: the payload is an encoded message of its own
///   encode_union(e, to)       {type, optional M1 .. M100}: only the member named by type is there
///                             both: the size, or 0 when `to` is shorter than max_size(e)
///   decode_nest(from, e)      down to the body
///   decode_union(from, e)     down to the body
///   route(from, type, inner)  reads the type of a nest and lends the payload undecoded
///
/// A type outside 1 .. kMaxEnvelopeType is number_out_of_range (route hands on every type), a
/// missing type, payload, body, or member that the type names is missing_field.
template <class E>
concept EnvelopeCodec = std::constructible_from<E, Limits> &&
                        requires(E codec, const Envelope& envelope, Envelope& into, MutableBytes to,
                                 Bytes from, std::int32_t& type, Bytes& inner) {
                          { E::kName } -> std::convertible_to<std::string_view>;
                          { codec.max_size(envelope) } -> std::same_as<std::size_t>;
                          { codec.encode_nest(envelope, to) } -> std::same_as<std::size_t>;
                          { codec.encode_union(envelope, to) } -> std::same_as<std::size_t>;
                          { codec.decode_nest(from, into) } -> std::same_as<DecodeError>;
                          { codec.decode_union(from, into) } -> std::same_as<DecodeError>;
                          { codec.route(from, type, inner) } -> std::same_as<DecodeError>;
                        };

}  // namespace wiremark::wire
