// Packets of numbered key/value pairs, out of which one value is taken (experiment E6).
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "wire/codec.h"
#include "wire/decode_error.h"
#include "wire/value.h"

namespace wiremark::wire {

/// Keys run from 1 to this: y3 has 6 bits for a sequence id, and 0 marks the elements of a slice.
inline constexpr unsigned kMaxPairs = 63;

/// Pair k of E6 holds entry (k - 1) mod 7, in the order of Value's alternatives.
inline constexpr std::array<Value, 7> kPairCycle = {
    Value(std::string_view("a")),
    Value(std::int32_t{-65}),
    Value(std::uint32_t{128}),
    Value(std::int64_t{-1}),
    Value(std::numeric_limits<std::uint64_t>::max()),
    Value(0.25F),
    Value(23.0),
};

/// The type of pair `key`, which formats such as y3 do not carry.
constexpr ValueType pair_type(unsigned key) noexcept { return ValueType((key - 1) % 7); }

/// The value that E6 puts under `key`.
constexpr const Value& pair_value(unsigned key) noexcept { return kPairCycle[(key - 1) % 7]; }

/// All 63 values of E6, for key 1 and up: a packet of n pairs is made of the first n.
inline constexpr std::array<Value, kMaxPairs> kPairValues =
    []<std::size_t... I>(std::index_sequence<I...>) {
      return std::array<Value, kMaxPairs>{pair_value(I + 1)...};
    }(std::make_index_sequence<kMaxPairs>{});

/// A format for pairs; it belongs to one thread like a Codec and is constructed from Limits.
///
///   kName                      the name users write, such as "protobuf"
///   max_size(values)           the most bytes that encode(values) writes
///   encode(values, to)         writes values[0] under key 1 and so on, at most kMaxPairs of them;
///                              the size, or 0 when `to` is shorter than max_size(values)
///   take(packet, key, type, v) stops at the first value under `key`; what follows it, and what
///                              it steps over without reading, is not checked
///   take_checked(...)          refuses every packet that is malformed anywhere
///
/// A key that is not there is missing_field, a value of another type wrong_type where the format
/// can tell, one outside the type's range number_out_of_range. On an error `v` is unspecified.
/// Texts borrow the packet, or the format's scratch until its next take.
template <class P>
concept Pairs = std::constructible_from<P, Limits> &&
                requires(P pairs, std::span<const Value> values, MutableBytes to, Bytes packet,
                         unsigned key, ValueType type, Value& into) {
                  { P::kName } -> std::convertible_to<std::string_view>;
                  { pairs.max_size(values) } -> std::same_as<std::size_t>;
                  { pairs.encode(values, to) } -> std::same_as<std::size_t>;
                  { pairs.take(packet, key, type, into) } -> std::same_as<DecodeError>;
                  { pairs.take_checked(packet, key, type, into) } -> std::same_as<DecodeError>;
                };

}  // namespace wiremark::wire
