// FlatBuffers: the table of schemas/message.fbs, read and written without the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "wire/codec.h"
#include "wire/message.h"

namespace wiremark::wire {

/// Writes one fixed layout, which schemas/frame.md shows; reads every layout that the library's
/// verifier accepts, with an absent number taken for 0. As there, content is not checked for UTF-8
/// and bytes behind the last object are nobody's.
class FlatbuffersCodec {
 public:
  static constexpr std::string_view kName = "flatbuffers";

  FlatbuffersCodec() = default;
  explicit FlatbuffersCodec(const Limits& limits) noexcept : limits_(limits) {}

  std::size_t max_size(const Message& message) const noexcept {
    return kContentAt + message.content.size() + kMaxTail;
  }
  std::size_t encode(const Message& message, MutableBytes to) const noexcept;
  DecodeError decode(Bytes from, Message& message) const noexcept;

 private:
  static constexpr std::size_t kContentAt = 36;
  static constexpr std::size_t kMaxTail = 4;  // The terminator, and padding to four bytes.

  DecodeError decode_any_layout(Bytes from, Message& message) const noexcept;

  Limits limits_;
};

static_assert(Codec<FlatbuffersCodec>);

}  // namespace wiremark::wire
