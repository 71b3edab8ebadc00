// The wire format of protocol buffers: tags, varints, and skipping of unknown fields.
// Source: protobuf.dev/programming-guides/encoding.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "wire/codec.h"
#include "wire/decode_error.h"

namespace wiremark::wire::protobuf {

enum class WireType : std::uint8_t {
  varint = 0,
  fixed64 = 1,
  bytes = 2,
  group_start = 3,
  group_end = 4,
  fixed32 = 5,
};

constexpr std::uint32_t tag_of(std::uint32_t field, WireType type) noexcept {
  return field << 3 | static_cast<std::uint32_t>(type);
}

inline constexpr std::size_t kMaxVarintSize = 10;

/// Writes `value` in as few bytes as possible, at most kMaxVarintSize; returns where they end.
inline std::byte* put_varint(std::byte* to, std::uint64_t value) noexcept {
  for (; value >= 0x80; value >>= 7) *to++ = static_cast<std::byte>(value | 0x80);
  *to++ = static_cast<std::byte>(value);
  return to;
}

/// Eight bytes of 7 bits each, lowest first, as one number: the groups are joined two by two.
constexpr std::uint64_t join_groups(std::uint64_t x) noexcept {
  x = (x & 0x007F007F007F007F) | (x >> 1 & 0x3F803F803F803F80);
  x = (x & 0x00003FFF00003FFF) | (x >> 2 & 0x0FFFC0000FFFC000);
  return (x & 0x0FFFFFFF) | (x >> 4 & 0x00FFFFFFF0000000);
}

/// The inverse of join_groups() for numbers of at most 56 bits.
constexpr std::uint64_t split_groups(std::uint64_t x) noexcept {
  x = (x & 0x0FFFFFFF) | (x & 0x00FFFFFFF0000000) << 4;
  x = (x & 0x00003FFF00003FFF) | (x & 0x0FFFC0000FFFC000) << 2;
  return (x & 0x007F007F007F007F) | (x & 0x3F803F803F803F80) << 1;
}

/// Writes a number that is not negative, of at most five bytes; returns where it ends. Eight bytes
/// may be overwritten.
inline std::byte* put_uint31(std::byte* to, std::uint32_t value) noexcept {
  if (value < 0x4000) [[likely]] {
    // One byte or two without a branch: lengths lie on both sides of 128.
    const std::uint32_t two = value >= 0x80;
    store_le(to, static_cast<std::uint16_t>((value & 0x7F) | two << 7 | (value & 0x3F80) << 1));
    return to + 1 + two;
  }
  const std::uint64_t groups = split_groups(value);
  const int last = 7 - (std::countl_zero(groups) >> 3);  // Index of the last byte.
  const std::uint64_t more = 0x8080808080808080 & ((std::uint64_t{1} << (8 * last)) - 1);
  store_le(to, groups | more);
  return to + last + 1;
}

/// A negative int32 is sign-extended to 64 bits and takes ten bytes.
inline std::byte* put_int32(std::byte* to, std::int32_t value) noexcept {
  if (value < 0) [[unlikely]]
    return put_varint(to, static_cast<std::uint64_t>(value));
  return put_uint31(to, static_cast<std::uint32_t>(value));
}

/// Moves `at` past a field of this one-byte tag, whose number takes one or two bytes, or up to
/// eight if another four then follow before `end`; four bytes must be readable. False for any other
/// field. Branches on the size, because a field tends to keep its size: a predicted branch lets the
/// next field begin before this one is loaded.
inline bool get_field(const std::byte*& at, const std::byte* end, std::uint32_t tag,
                      std::uint64_t& value) noexcept {
  const std::uint32_t start = load_le<std::uint32_t>(at);
  if ((start & 0xFF) != tag) [[unlikely]]
    return false;
  if ((start & 0x8000) == 0) {
    value = start >> 8 & 0xFF;
    at += 2;
    return true;
  }
  if ((start & 0x800000) == 0) [[likely]] {
    // The mark of the first byte is known to be set, so it is subtracted from the whole byte.
    value = (start >> 8 & 0xFF) - 0x80 + (start >> 9 & 0x3F80);
    at += 3;
    return true;
  }
  if (end - at < 1 + 8 + 4) [[unlikely]]
    return false;
  const std::uint64_t word = load_le<std::uint64_t>(at + 1);
  const std::uint64_t ends = ~word & 0x8080808080808080;
  if (ends == 0) [[unlikely]]
    return false;
  // All bits up to the first end mark, of which join_groups() leaves out the marks.
  value = join_groups(word & (ends ^ (ends - 1)));
  at += (std::countr_zero(ends) >> 3) + 2;
  return true;
}

/// Writes a field whose tag takes one byte; returns where it ends. Eleven bytes may be overwritten.
/// Branches on the size, for the reason given at get_field().
inline std::byte* put_field(std::byte* to, std::uint32_t tag, std::int32_t value) noexcept {
  const auto bits = static_cast<std::uint32_t>(value);
  if (bits < 0x80) {
    store_le(to, static_cast<std::uint16_t>(tag | bits << 8));
    return to + 2;
  }
  if (bits < 0x4000) [[likely]] {
    store_le(to, tag | 0x8000 | (bits & 0x7F) << 8 | (bits & 0x3F80) << 9);
    return to + 3;
  }
  *to = static_cast<std::byte>(tag);
  return put_int32(to + 1, value);
}

/// Reads a length that covers all the bytes behind it. False when it does not, or takes more than
/// two bytes. How many it takes is derived from what is left, so that no work waits for the length
/// to be loaded. One byte must be readable.
inline bool get_rest(Bytes from, Bytes& value) noexcept {
  const std::size_t left = from.size();
  if (left - 1 < 0x80) [[likely]] {
    value = Bytes(from.data() + 1, left - 1);
    return std::to_integer<std::size_t>(from[0]) == left - 1;
  }
  const std::size_t length = left - 2;
  if (length - 0x80 >= 0x4000 - 0x80) return false;
  value = Bytes(from.data() + 2, length);
  return load_le<std::uint16_t>(from.data()) == (0x80 | (length & 0x7F) | (length & 0x3F80) << 1);
}

/// Reads a field of this tag of one byte that ends where the packet does: its content is all that
/// follows its length. False when it is another field, or when get_rest() is. Two bytes must be
/// readable.
inline bool get_last_bytes(Bytes from, std::uint32_t tag, Bytes& value) noexcept {
  return from[0] == static_cast<std::byte>(tag) && get_rest(from.subspan(1), value);
}

/// Reads fields one after the other. After a failure error() says why and nothing more is read.
class Reader {
 public:
  /// `offset` is where `from` starts in the packet that errors are reported for.
  Reader(Bytes from, const Limits& limits, std::size_t offset = 0) noexcept
      : from_(from), limits_(limits), offset_(offset) {}

  bool at_end() const noexcept { return at_ == from_.size(); }

  /// Where the next byte stands in the packet.
  std::size_t position() const noexcept { return offset_ + at_; }

  DecodeError error() const noexcept { return error_; }

  /// The tag of the next field: its number is at least 1 and its wire type one of the six.
  bool tag(std::uint32_t& tag) noexcept {
    if (at_ < from_.size()) {
      const auto first = std::to_integer<std::uint32_t>(from_[at_]);
      if (first >= 8 && first < 0x80 && (first & 7) <= 5) [[likely]] {
        ++at_;
        tag = first;
        return true;
      }
      if (first >= 0x80 && from_.size() - at_ > 1 && from_[at_ + 1] < std::byte{0x80}) {
        tag = (first & 0x7F) | std::to_integer<std::uint32_t>(from_[at_ + 1]) << 7;
        if (tag >= 8 && (tag & 7) <= 5) [[likely]] {
          at_ += 2;
          return true;
        }
      }
    }
    return long_tag(tag);
  }

  bool varint(std::uint64_t& value) noexcept {
    if (at_ < from_.size() && from_[at_] < std::byte{0x80}) [[likely]] {
      value = std::to_integer<std::uint64_t>(from_[at_++]);
      return true;
    }
    return long_varint(value);
  }

  /// A length and as many bytes.
  bool bytes(Bytes& value) noexcept {
    if (at_ < from_.size()) {
      const auto size = std::to_integer<std::size_t>(from_[at_]);
      if (size < 0x80 && size < from_.size() - at_ && size <= limits_.frame_size) [[likely]] {
        value = from_.subspan(at_ + 1, size);
        at_ += size + 1;
        return true;
      }
    }
    return long_bytes(value);
  }

  template <std::unsigned_integral T>
  bool fixed(T& value) noexcept {
    if (from_.size() - at_ < sizeof value) return fail(DecodeErrorKind::truncated, from_.size());
    value = load_le<T>(from_.data() + at_);
    at_ += sizeof value;
    return true;
  }

  /// Skips the field whose tag was just read.
  bool skip(std::uint32_t tag) noexcept {
    if (WireType(tag & 7) == WireType::varint && skip_varint()) return true;
    if (WireType(tag & 7) == WireType::bytes) {
      Bytes run;
      return bytes(run);
    }
    return WireType(tag & 7) >= WireType::group_start && WireType(tag & 7) <= WireType::group_end
               ? skip_group(tag)
               : skip_plain(tag);
  }

 private:
  /// Skips a number without reading it; false where one of the last ten bytes of the packet, or a
  /// number that is too long, needs a closer look.
  bool skip_varint() noexcept {
    if (from_.size() - at_ < kMaxVarintSize) return false;
    const std::byte* const at = from_.data() + at_;
    const std::uint64_t ends = ~load_le<std::uint64_t>(at) & 0x8080808080808080;
    if (ends != 0) [[likely]] {
      at_ += static_cast<std::size_t>(std::countr_zero(ends) >> 3) + 1;
      return true;
    }
    if (at[8] >= std::byte{0x80} && at[9] > std::byte{1}) return false;
    at_ += at[8] < std::byte{0x80} ? 9 : 10;
    return true;
  }
  bool fail(DecodeErrorKind kind, std::size_t at) noexcept {
    error_ = {kind, offset_ + at};
    return false;
  }
  bool long_tag(std::uint32_t& tag) noexcept;
  bool long_varint(std::uint64_t& value) noexcept;
  bool long_bytes(Bytes& value) noexcept;
  bool skip_plain(std::uint32_t tag) noexcept;
  bool skip_group(std::uint32_t tag) noexcept;

  Bytes from_;
  const Limits& limits_;
  std::size_t offset_;
  std::size_t at_ = 0;
  DecodeError error_;
};

}  // namespace wiremark::wire::protobuf
