// FlatBuffers: the table of schemas/message.fbs, read and written without the library.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/bytes.h"
#include "wire/codec.h"
#include "wire/message.h"

namespace wiremark::wire {

/// Writes one fixed layout, which schemas/frame.md shows; reads every layout that the library's
/// verifier accepts. An absent number is 0. As in the library, content is not checked for UTF-8 and
/// bytes behind the last object are ignored.
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
  // At 0 the offset of the table; at 4 the vtable (its size, the table's size, where head, guid and
  // content stand in the table) and two bytes of padding; at 16 the table: the way back to its
  // vtable, head, guid, and the offset of the string, which is its length, its bytes and a zero.
  static constexpr std::array<std::uint8_t, 20> kStart = {16, 0, 0,  0, 10, 0, 16, 0, 4, 0,
                                                          8,  0, 12, 0, 0,  0, 12, 0, 0, 0};
  static constexpr std::size_t kHeadAt = 20;
  static constexpr std::size_t kGuidAt = 24;
  static constexpr std::size_t kTextOffsetAt = 28;
  static constexpr std::uint32_t kTextOffset = 4;
  static constexpr std::size_t kLengthAt = 32;
  static constexpr std::size_t kContentAt = 36;
  static constexpr std::size_t kMaxTail = 4;  // The terminator, and padding to four bytes.

  static bool starts_as_ours(Bytes from) noexcept;

  DecodeError decode_any_layout(Bytes from, Message& message) const noexcept;

  Limits limits_;
};

// Inline, since a call would add a fifth to its time.

inline std::size_t FlatbuffersCodec::encode(const Message& message,
                                            MutableBytes to) const noexcept {
  const std::size_t length = message.content.size();
  if (to.size() < max_size(message) || length > INT32_MAX) return 0;
  std::byte* const at = to.data();
  std::memcpy(at, kStart.data(), kStart.size());
  store_le(at + kHeadAt, static_cast<std::uint32_t>(message.head));
  store_le(at + kGuidAt, static_cast<std::uint32_t>(message.guid));
  store_le(at + kTextOffsetAt, kTextOffset);
  store_le(at + kLengthAt, static_cast<std::uint32_t>(length));
  // One zero ends the content, and more follow up to a multiple of four.
  const std::size_t size = (kContentAt + length + kMaxTail) / 4 * 4;
  // The last word is cleared first, for the terminator and padding that the content leaves.
  store_le(at + size - 4, std::uint32_t{0});
  if (length != 0) std::memcpy(at + kContentAt, message.content.data(), length);
  return size;
}

inline bool FlatbuffersCodec::starts_as_ours(Bytes from) noexcept {
  constexpr auto kWords = std::bit_cast<std::array<std::uint32_t, 5>>(kStart);
  std::array<std::uint32_t, 5> words;
  std::memcpy(words.data(), from.data(), sizeof words);
  std::uint32_t difference = load_le<std::uint32_t>(from.data() + kTextOffsetAt) ^ kTextOffset;
  for (std::size_t i = 0; i < words.size(); ++i) difference |= words[i] ^ kWords[i];
  return difference == 0;
}

inline DecodeError FlatbuffersCodec::decode(Bytes from, Message& message) const noexcept {
  if (from.size() > kContentAt && starts_as_ours(from)) [[likely]] {
    const std::byte* const at = from.data();
    const std::size_t length = load_le<std::uint32_t>(at + kLengthAt);
    if (length < from.size() - kContentAt && length <= limits_.frame_size &&
        at[kContentAt + length] == std::byte{0}) [[likely]] {
      message.head = static_cast<std::int32_t>(load_le<std::uint32_t>(at + kHeadAt));
      message.guid = static_cast<std::int32_t>(load_le<std::uint32_t>(at + kGuidAt));
      message.content = as_text(from.subspan(kContentAt, length));
      return {};
    }
  }
  // A message of its own, so that the compiler can keep the caller's in registers.
  Message other;
  const DecodeError error = decode_any_layout(from, other);
  message = other;
  return error;
}

static_assert(Codec<FlatbuffersCodec>);

}  // namespace wiremark::wire
