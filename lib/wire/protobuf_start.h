// The start of a packet of schemas/message.proto, up to the tag of its content, as one word.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "wire/protobuf_wire.h"

namespace wiremark::wire::protobuf {

inline constexpr std::uint32_t kHeadTag = tag_of(1, WireType::varint);
inline constexpr std::uint32_t kGuidTag = tag_of(2, WireType::varint);
inline constexpr std::uint32_t kContentTag = tag_of(3, WireType::bytes);

/// The start of a packet whose numbers take this many bytes, one or two each. Its tags and the
/// marks of its numbers are constants: one comparison checks them all, and one store writes them.
template <unsigned kHeadBytes, unsigned kGuidBytes>
struct PacketStart {
  static constexpr std::size_t kSize = 3 + kHeadBytes + kGuidBytes;

  static bool matches(std::uint64_t word) noexcept { return (word & kMask) == kConstants; }
  static std::uint32_t head(std::uint64_t word) noexcept { return join<kHeadBytes>(word >> 8); }
  static std::uint32_t guid(std::uint64_t word) noexcept {
    return join<kGuidBytes>(word >> kGuidShift);
  }
  static std::uint64_t word(std::uint64_t head, std::uint64_t guid, std::uint64_t length) noexcept {
    return kConstants | split<kHeadBytes>(head) << 8 | split<kGuidBytes>(guid) << kGuidShift |
           length << (8 * kSize);
  }

 private:
  static constexpr unsigned kGuidShift = 8 * (2 + kHeadBytes);
  static constexpr unsigned kContentShift = kGuidShift + 8 * kGuidBytes;

  static constexpr std::uint64_t constants(std::uint64_t head_tag, std::uint64_t guid_tag,
                                           std::uint64_t content_tag, std::uint64_t one,
                                           std::uint64_t two) {
    return head_tag | (kHeadBytes == 1 ? one : two) << 8 | guid_tag << (kGuidShift - 8) |
           (kGuidBytes == 1 ? one : two) << kGuidShift | content_tag << kContentShift;
  }
  static constexpr std::uint64_t kConstants =
      constants(kHeadTag, kGuidTag, kContentTag, 0x00, 0x0080);
  static constexpr std::uint64_t kMask = constants(0xFF, 0xFF, 0xFF, 0x80, 0x8080);

  template <unsigned kBytes>
  static std::uint32_t join(std::uint64_t bits) noexcept {
    if constexpr (kBytes == 1) return bits & 0x7F;
    return static_cast<std::uint32_t>((bits & 0x7F) | (bits >> 1 & 0x3F80));
  }
  // Adding the upper seven bits once more moves them by one, past the mark.
  template <unsigned kBytes>
  static std::uint64_t split(std::uint64_t value) noexcept {
    return kBytes == 1 ? value : value + (value & 0x3F80);
  }
};

/// The bytes that the start takes which `word` holds, or 0 when it is none of small numbers. Sizes
/// are told apart by branches for the reason of get_field().
inline std::size_t get_start(std::uint64_t word, std::uint32_t& head,
                             std::uint32_t& guid) noexcept {
  const auto is = [&]<unsigned kHead, unsigned kGuid>(PacketStart<kHead, kGuid> start) {
    if (!start.matches(word)) return false;
    head = start.head(word);
    guid = start.guid(word);
    return true;
  };
  if (is(PacketStart<2, 1>())) return PacketStart<2, 1>::kSize;
  if (is(PacketStart<1, 1>())) return PacketStart<1, 1>::kSize;
  if (is(PacketStart<2, 2>())) return PacketStart<2, 2>::kSize;
  if (is(PacketStart<1, 2>())) return PacketStart<1, 2>::kSize;
  return 0;
}

/// Writes a start and the length of the content, at most 2 * 11 + 1 + 5 bytes; the byte behind
/// them. Three bytes more may be overwritten.
inline std::byte* put_start(std::byte* to, std::int32_t head, std::int32_t guid,
                            std::uint32_t length) noexcept {
  const auto head_bits = static_cast<std::uint32_t>(head);
  const auto guid_bits = static_cast<std::uint32_t>(guid);
  const auto put = [&]<unsigned kHead, unsigned kGuid>(PacketStart<kHead, kGuid> start) {
    store_le(to, start.word(head_bits, guid_bits, length));
    return to + start.kSize + 1;
  };
  if (length < 0x80) [[likely]] {
    if (head_bits - 0x80 < 0x4000 - 0x80) [[likely]] {
      if (guid_bits < 0x80) return put(PacketStart<2, 1>());
      if (guid_bits < 0x4000) return put(PacketStart<2, 2>());
    } else if (head_bits < 0x80) {
      if (guid_bits < 0x80) return put(PacketStart<1, 1>());
      if (guid_bits < 0x4000) return put(PacketStart<1, 2>());
    }
  }
  to = put_field(to, kHeadTag, head);
  to = put_field(to, kGuidTag, guid);
  *to = static_cast<std::byte>(kContentTag);
  return put_uint31(to + 1, length);
}

}  // namespace wiremark::wire::protobuf
