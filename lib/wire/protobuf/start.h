// The start of a packet of schemas/message.proto, up to the tag of its content, as one word.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "wire/protobuf/wire.h"

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
  /// Whether a content of this length follows. It must be below 0x80, so that it takes one byte.
  static bool matches(std::uint64_t word, std::uint64_t length) noexcept {
    constexpr std::uint64_t kWithLength = kMask | std::uint64_t{0xFF} << (8 * kSize);
    return ((word ^ (kConstants | length << (8 * kSize))) & kWithLength) == 0;
  }
  /// The numbers of a packet whose start matches. Loading them again byte by byte is cheaper than
  /// shifting and masking the word.
  static std::uint32_t head(const std::byte* packet) noexcept {
    return get<kHeadBytes>(packet + 1);
  }
  static std::uint32_t guid(const std::byte* packet) noexcept {
    return get<kGuidBytes>(packet + 2 + kHeadBytes);
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

  // The mark of the first of two bytes is known to be set.
  template <unsigned kBytes>
  static std::uint32_t get(const std::byte* from) noexcept {
    const auto first = std::to_integer<std::uint32_t>(from[0]);
    if constexpr (kBytes == 1) return first;
    return first - 0x80 + (std::to_integer<std::uint32_t>(from[1]) << 7);
  }
  // Adding the upper seven bits once more moves them by one, past the mark.
  template <unsigned kBytes>
  static std::uint64_t split(std::uint64_t value) noexcept {
    return kBytes == 1 ? value : value + (value & 0x3F80);
  }
};

/// Whether is() holds for one of the layouts of small numbers. Tried by branches, for the reason
/// given at get_field().
template <class Is>
[[gnu::always_inline]] inline bool any_start(const Is& is) noexcept {
  return is(PacketStart<2, 1>()) || is(PacketStart<1, 1>()) || is(PacketStart<2, 2>()) ||
         is(PacketStart<1, 2>());
}

/// The sizes that get_short_packet() takes: those of a word and up to a content of 0x7F bytes
/// behind the shortest start.
inline constexpr std::size_t kShortPacketMin = 8;
inline constexpr std::size_t kShortPacketMax = PacketStart<1, 1>::kSize + 1 + 0x7F;

/// Reads a packet of small numbers and a content of less than 0x80 bytes. False when it is none.
/// The expected length follows from the size, so one comparison checks it with the start: little
/// work waits for the packet's bytes when they are not in the cache.
inline bool get_short_packet(Bytes from, std::uint32_t& head, std::uint32_t& guid,
                             Bytes& content) noexcept {
  const std::byte* const at = from.data();
  const auto word = load_le<std::uint64_t>(at);
  return any_start([&]<unsigned kHead, unsigned kGuid>(PacketStart<kHead, kGuid> start) {
    const std::size_t length = from.size() - start.kSize - 1;
    if (!start.matches(word, length)) return false;
    head = start.head(at);
    guid = start.guid(at);
    content = Bytes(at + start.kSize + 1, length);
    return true;
  });
}

/// Reads a packet of small numbers, of at least 8 bytes; its content as in get_rest().
inline bool get_packet(Bytes from, std::uint32_t& head, std::uint32_t& guid,
                       Bytes& content) noexcept {
  const std::byte* const at = from.data();
  const auto word = load_le<std::uint64_t>(at);
  std::size_t size = 0;
  const bool starts =
      any_start([&]<unsigned kHead, unsigned kGuid>(PacketStart<kHead, kGuid> start) {
        if (!start.matches(word)) return false;
        head = start.head(at);
        guid = start.guid(at);
        size = start.kSize;
        return true;
      });
  return starts && get_rest(from.subspan(size), content);
}

/// Writes a start and the length of the content, at most 2 * 11 + 1 + 5 bytes; returns where they
/// end. Three bytes more may be overwritten.
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
