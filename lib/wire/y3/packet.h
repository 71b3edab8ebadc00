// Y3 packets of any shape: a reader that skips siblings, a check of a whole tree, a writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "base/bytes.h"
#include "wire/codec.h"
#include "wire/decode_error.h"
#include "wire/y3/varint.h"

namespace wiremark::wire::y3 {

/// The first byte of a packet: 0x80 = node, 0x40 = slice (only of nodes), the other bits its
/// sequence id.
struct Tag {
  std::uint8_t bits = 0;

  constexpr bool is_node() const noexcept { return (bits & 0x80) != 0; }
  constexpr bool is_slice() const noexcept { return (bits & 0xC0) == 0xC0; }
  constexpr unsigned id() const noexcept { return bits & 0x3F; }
  /// A primitive cannot be a slice.
  constexpr bool is_valid() const noexcept { return (bits & 0xC0) != 0x40; }
  bool operator==(const Tag&) const = default;
};

constexpr Tag primitive_tag(unsigned id) noexcept { return {static_cast<std::uint8_t>(id)}; }
constexpr Tag node_tag(unsigned id) noexcept { return {static_cast<std::uint8_t>(0x80 | id)}; }
constexpr Tag slice_tag(unsigned id) noexcept { return {static_cast<std::uint8_t>(0xC0 | id)}; }

/// One packet. The value of a node is its children, one after another.
struct Packet {
  Tag tag;
  Bytes value;
  std::size_t value_offset = 0;  ///< Of the value, from the start of the reader's bytes.
};

/// The few bytes of a header or a small primitive, the first in the lowest bits.
struct Piece {
  std::uint64_t bytes = 0;
  std::size_t size = 0;  ///< At most 7; the bytes above are zero.
};

/// A tag and a length of at most kLengthMax.
inline Piece header(Tag tag, std::size_t length) noexcept {
  if (length < 0x2000) [[likely]] {
    // Without a branch on the size: texts have fewer and more than 63 bytes.
    const std::uint64_t two = length >= 0x40;
    const std::uint64_t high = (0x80 | length >> 7) & (0 - two);
    return {tag.bits | high << 8 | (length & 0x7F) << (8 + 8 * two), 2 + two};
  }
  const std::size_t size = length_size(length);
  const auto bytes = int_bytes<Dialect::draft01>(static_cast<std::int64_t>(length), size);
  return {tag.bits | bytes << 8, 1 + size};
}

/// A primitive that is an int32. Branches on the size, since a field tends to keep its size.
template <Dialect D>
Piece int32_primitive(unsigned id, std::int32_t value) noexcept {
  // The sign is the highest of the bits that each byte of the number has.
  constexpr unsigned kBits = D == Dialect::draft01 ? 7 : 8;
  constexpr std::uint64_t kMask = (1 << kBits) - 1;
  const auto bits = static_cast<std::uint32_t>(value ^ value >> 31);
  const auto number = static_cast<std::uint64_t>(value);
  if (bits < 1U << (kBits - 1)) return {id | 0x100 | (number & kMask) << 16, 3};
  if (bits < 1U << (2 * kBits - 1)) {
    constexpr std::uint64_t kMore = D == Dialect::draft01 ? 0x80 : 0;
    return {id | 0x200 | (kMore | (number >> kBits & kMask)) << 16 | (number & kMask) << 24, 4};
  }
  const std::size_t size = int_size<D>(value);
  return {id | size << 8 | int_bytes<D>(value, size) << 16, 2 + size};
}

/// Writes a piece and returns where it ends. Stores 8 bytes, so what follows is written later, and
/// there must be room.
inline std::byte* put(std::byte* to, Piece piece) noexcept {
  store_le(to, piece.bytes);
  return to + piece.size;
}

/// Reads packets one after another, without entering nodes.
class Reader {
 public:
  explicit Reader(Bytes packets) noexcept : Reader(packets, 0, packets.size()) {}

  /// The children of a node that was read out of `packets`; offsets go on counting from its start.
  static Reader children(Bytes packets, const Packet& node) noexcept {
    return {packets, node.value_offset, node.value_offset + node.value.size()};
  }

  bool done() const noexcept { return at_ == end_; }
  std::size_t offset() const noexcept { return at_; }

  /// Reads the next packet. Errors: truncated (also at the end), invalid_tag, and those of
  /// get_length(); the reader then stays where it was.
  DecodeError next(Packet& into) noexcept {
    if (at_ == end_) return {DecodeErrorKind::truncated, at_};
    const Tag tag{std::to_integer<std::uint8_t>(packets_[at_])};
    if (!tag.is_valid()) return {DecodeErrorKind::invalid_tag, at_};
    std::size_t length = 0;
    std::size_t size = 0;
    const Bytes rest = packets_.subspan(at_ + 1, end_ - at_ - 1);
    if (const auto error = get_length(rest, length, size); error != DecodeErrorKind::none) {
      return {error, at_ + 1};
    }
    if (length > rest.size() - size) return {DecodeErrorKind::truncated, at_ + 1};
    into = {tag, rest.subspan(size, length), at_ + 1 + size};
    at_ = into.value_offset + length;
    return {};
  }

 private:
  Reader(Bytes packets, std::size_t begin, std::size_t end) noexcept
      : packets_(packets), at_(begin), end_(end) {}

  Bytes packets_;
  std::size_t at_;
  std::size_t end_;
};

/// The deepest nesting that check() follows, whatever Limits::depth says: its stack is this long.
inline constexpr unsigned kDepthMax = 128;

/// Checks that `packets` is whole Y3 packets all the way down, without recursion. A node at the
/// top has depth 1. Errors: those of Reader::next(), depth_exceeded, and invalid_tag for an
/// element of a slice whose sequence id is not 0. Values of primitives carry no type: any bytes do.
DecodeError check(Bytes packets, const Limits& limits) noexcept;

/// Checks all that is below a node which was read out of `packets` and itself has depth `depth`.
DecodeError check_below(Bytes packets, const Packet& node, unsigned depth,
                        const Limits& limits) noexcept;

/// Checks the one packet that `packet` is, all the way down. Errors: those of check(), too_large
/// (over the frame limit), trailing_data. Of several errors the first in the bytes is given.
DecodeError check_whole(Bytes packet, const Limits& limits) noexcept;

/// The size of the packet that a stream starts with, which may not all be there. Errors:
/// need_more_data, too_large, and those of get_length().
DecodeError packet_size(Bytes stream, const Limits& limits, std::size_t& size) noexcept;

/// Writes packets one behind another into a span. If something does not fit, nothing is valid and
/// size() is 0.
class Writer {
 public:
  explicit Writer(MutableBytes to) noexcept : to_(to) {}

  /// Bytes written so far, or 0 when something did not fit.
  std::size_t size() const noexcept { return fits_ ? at_ : 0; }

  /// Begins a node or slice; `close` it with what this returns when its children are written.
  std::size_t open(Tag tag) noexcept;
  void close(std::size_t opened) noexcept;

  /// A primitive of raw bytes, such as a text.
  void bytes(unsigned id, Bytes value) noexcept;
  void text(unsigned id, std::string_view value) noexcept { bytes(id, as_bytes(value)); }
  void boolean(unsigned id, bool value) noexcept { integer<Dialect::draft01>(id, value ? 1 : 0); }

  /// An integer; an unsigned one is written as the signed number of the same bits.
  template <Dialect D, class T>
  void integer(unsigned id, T value) noexcept {
    std::byte form[10];
    const auto number = static_cast<std::int64_t>(static_cast<std::make_signed_t<T>>(value));
    bytes(id, Bytes(form, put_int<D>(form, number)));
  }

  template <class F>
  void real(unsigned id, F value) noexcept {
    std::byte form[8];
    bytes(id, Bytes(form, put_float(form, value)));
  }

 private:
  MutableBytes to_;
  std::size_t at_ = 0;
  bool fits_ = true;
};

}  // namespace wiremark::wire::y3
