// Key/value pairs as protocol buffers: the message Pairs of schemas/pairs.proto, without the
// library.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "wire/codec.h"
#include "wire/pairs.h"
#include "wire/value.h"

namespace wiremark::wire {

/// The field number is the key. A field whose wire type is not that of the type asked for is
/// wrong_type; take_checked() hands out the last of several values under one key, take() the first.
class ProtobufPairs {
 public:
  static constexpr std::string_view kName = "protobuf";

  ProtobufPairs() = default;
  explicit ProtobufPairs(const Limits& limits) noexcept : limits_(limits) {}

  std::size_t max_size(std::span<const Value> values) const noexcept;
  std::size_t encode(std::span<const Value> values, MutableBytes to) const noexcept;
  DecodeError take(Bytes packet, unsigned key, ValueType type, Value& value) const noexcept;
  DecodeError take_checked(Bytes packet, unsigned key, ValueType type, Value& value) const noexcept;

 private:
  Limits limits_;
};

static_assert(Pairs<ProtobufPairs>);

}  // namespace wiremark::wire
