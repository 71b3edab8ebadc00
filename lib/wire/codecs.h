// The codecs by name: the only place below the tools that names them all. Stable.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/result.h"
#include "wire/bytes/codec.h"
#include "wire/codec.h"
#include "wire/flatbuffers/codec.h"
#include "wire/json/codec.h"
#include "wire/protobuf/codec.h"
#include "wire/y3/codec.h"

namespace wiremark::wire {

template <Codec... C>
struct CodecList {
  static constexpr std::array<std::string_view, sizeof...(C)> kNames = {C::kName...};
};

/// Every format's own codec, in the order in which tools list them.
using Codecs = CodecList<BytesCodec, ProtobufCodec, JsonCodec, FlatbuffersCodec, Y3Codec>;

/// Calls `use` with a codec of the format called `name` and returns its result. An unknown name is
/// an error, and nothing is called. `use` is instantiated for every codec; all instances must
/// return the same type.
template <class Use, Codec First, Codec... Rest>
auto with_codec(std::string_view name, const Limits& limits, Use&& use, CodecList<First, Rest...>)
    -> Result<std::invoke_result_t<Use&, First&>> {
  if (name == First::kName) {
    First codec(limits);
    if constexpr (std::is_void_v<std::invoke_result_t<Use&, First&>>) {
      use(codec);
      return {};
    } else {
      return use(codec);
    }
  }
  if constexpr (sizeof...(Rest) > 0) {
    return with_codec(name, limits, use, CodecList<Rest...>());
  } else {
    return failed("format", std::string(name), 0);
  }
}

template <class Use>
auto with_codec(std::string_view name, const Limits& limits, Use&& use) {
  return with_codec(name, limits, use, Codecs());
}

}  // namespace wiremark::wire
