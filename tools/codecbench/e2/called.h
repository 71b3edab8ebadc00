// A codec behind function pointers, as libraries are.
#pragma once

#include <cstddef>
#include <string_view>

#include "wire/codec.h"
#include "wire/frame.h"
#include "wire/message.h"

namespace wiremark::tools {

/// The calls of `C` through pointers that the compiler cannot follow: nothing of the codec is
/// inlined into the loop that times it, and a message goes through memory.
template <wire::Codec C>
class Called {
 public:
  static constexpr std::string_view kName = C::kName;
  static constexpr wire::Framing kFraming = wire::kFramingOf<C>;

  explicit Called(const wire::Limits& limits) : codec_(limits) {
    asm volatile("" : "+r"(encode_), "+r"(decode_));
  }

  std::size_t max_size(const wire::Message& message) { return codec_.max_size(message); }
  std::size_t encode(const wire::Message& message, MutableBytes to) {
    return encode_(codec_, message, to);
  }
  wire::DecodeError decode(Bytes from, wire::Message& into) { return decode_(codec_, from, into); }

 private:
  static std::size_t call_encode(C& codec, const wire::Message& message, MutableBytes to) {
    return codec.encode(message, to);
  }
  static wire::DecodeError call_decode(C& codec, Bytes from, wire::Message& into) {
    return codec.decode(from, into);
  }

  C codec_;
  std::size_t (*encode_)(C&, const wire::Message&, MutableBytes) = call_encode;
  wire::DecodeError (*decode_)(C&, Bytes, wire::Message&) = call_decode;
};

}  // namespace wiremark::tools
