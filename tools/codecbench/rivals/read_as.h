// Reads a value from a library's tree as the type that is asked for.
#pragma once

#include <cstdint>
#include <string_view>

#include "wire/decode_error.h"
#include "wire/value.h"

namespace wiremark::tools {

/// Has `read` fill a variable of the type that `type` stands for; where it returns `none`, that is
/// in `into`.
template <class Read>
wire::DecodeErrorKind read_as(wire::ValueType type, wire::Value& into, Read read) {
  const auto fill = [&]<class T>(T held) {
    const wire::DecodeErrorKind kind = read(held);
    if (kind == wire::DecodeErrorKind::none) into = held;
    return kind;
  };
  switch (type) {
    case wire::ValueType::text:
      return fill(std::string_view());
    case wire::ValueType::int32:
      return fill(std::int32_t{});
    case wire::ValueType::uint32:
      return fill(std::uint32_t{});
    case wire::ValueType::int64:
      return fill(std::int64_t{});
    case wire::ValueType::uint64:
      return fill(std::uint64_t{});
    case wire::ValueType::float32:
      return fill(float{});
    case wire::ValueType::float64:
      return fill(double{});
  }
  return wire::DecodeErrorKind::wrong_type;
}

}  // namespace wiremark::tools
