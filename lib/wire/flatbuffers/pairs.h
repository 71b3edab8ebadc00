// Key/value pairs as FlatBuffers: the table Pairs of schemas/pairs.fbs, without the library.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "wire/codec.h"
#include "wire/pairs.h"
#include "wire/value.h"

namespace wiremark::wire {

/// The schema gives every key its type, pair_type(key), so values of other types are refused:
/// encode() returns 0, and take() wrong_type. take() follows one entry of the vtable and checks
/// what it reads; take_checked() verifies every field of the table.
class FlatbuffersPairs {
 public:
  static constexpr std::string_view kName = "flatbuffers";

  FlatbuffersPairs() = default;
  explicit FlatbuffersPairs(const Limits& limits) noexcept : limits_(limits) {}

  std::size_t max_size(std::span<const Value> values) const noexcept;
  std::size_t encode(std::span<const Value> values, MutableBytes to) const noexcept;
  DecodeError take(Bytes packet, unsigned key, ValueType type, Value& value) const noexcept;
  DecodeError take_checked(Bytes packet, unsigned key, ValueType type, Value& value) const noexcept;

 private:
  Limits limits_;
};

static_assert(Pairs<FlatbuffersPairs>);

}  // namespace wiremark::wire
