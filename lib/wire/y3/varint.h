// The integers, lengths and floats of Y3, in both dialects, to bytes and back.
//
// Source: the draft-01 text of the Y3 specification and the vectors its Go implementations made.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/bytes.h"
#include "wire/decode_error.h"

namespace wiremark::wire::y3 {

/// How integer values are written. Tags, lengths, bools, floats and texts are the same in both.
///   draft01  PVarInt: big-endian groups of 7 bits, 0x80 = more follow, bit 6 of the first byte is
///            the sign; the least n bytes with the value in [-2^(7n-1), 2^(7n-1))
///   y3       NVarInt: big-endian two's complement, the fewest bytes that keep the sign
/// Unsigned numbers are written as the signed number of the same bits, so the greatest is -1.
enum class Dialect : std::uint8_t { draft01, y3 };

inline constexpr std::size_t kLengthBytesMax = 5;
inline constexpr std::int64_t kLengthMax = std::numeric_limits<std::int32_t>::max();

/// The most bytes that a decoder takes for an integer of type T; a writer needs no more.
template <class T>
inline constexpr std::size_t kIntBytesMax = sizeof(T) <= 4 ? 5 : 10;

/// A big-endian number of 1 to 8 bytes; reads no byte outside `value`.
inline std::uint64_t load_be(Bytes value) noexcept {
  const std::byte* at = value.data();
  const std::size_t size = value.size();
  // Two loads that may overlap give the overlapped bits the same places, so OR joins them.
  if (size >= 4) {
    const std::uint64_t high = std::byteswap(load_le<std::uint32_t>(at));
    const std::uint64_t low = std::byteswap(load_le<std::uint32_t>(at + size - 4));
    return high << (8 * size - 32) | low;
  }
  const auto byte = [at](std::size_t i) { return std::to_integer<std::uint64_t>(at[i]); };
  const std::size_t middle = size / 2;
  return byte(0) << (8 * (size - 1)) | byte(middle) << (8 * (size - 1 - middle)) | byte(size - 1);
}

/// Moves 8 groups of 7 bits, lowest first, to the low 7 bits of 8 bytes.
constexpr std::uint64_t spread_groups(std::uint64_t bits) noexcept {
  bits = (bits & 0x0FFFFFFF) | (bits & 0x00FFFFFFF0000000) << 4;
  bits = (bits & 0x00003FFF00003FFF) | (bits & 0x0FFFC0000FFFC000) << 2;
  return (bits & 0x007F007F007F007F) | (bits & 0x3F803F803F803F80) << 1;
}

/// The way back from spread_groups(); the high bit of each byte is ignored.
constexpr std::uint64_t join_groups(std::uint64_t bytes) noexcept {
  bytes = (bytes & 0x007F007F007F007F) | (bytes & 0x7F007F007F007F00) >> 1;
  bytes = (bytes & 0x00003FFF00003FFF) | (bytes & 0x3FFF00003FFF0000) >> 2;
  return (bytes & 0x0FFFFFFF) | (bytes & 0x0FFFFFFF00000000) >> 4;
}

/// The bytes that `value` takes: 1 to 10 in draft01, 1 to 8 in y3.
template <Dialect D>
constexpr std::size_t int_size(std::int64_t value) noexcept {
  // Bits without the sign; 0 and -1 count as one, which gives the same size and keeps the input
  // of the bit scan from being zero.
  const auto bits =
      static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(value ^ value >> 63) | 1));
  return D == Dialect::draft01 ? (bits + 7) / 7 : (bits + 8) / 8;
}

/// The `size` <= 8 bytes of an integer, the first of them lowest; the bytes above are zero.
template <Dialect D>
constexpr std::uint64_t int_bytes(std::int64_t value, std::size_t size) noexcept {
  auto bytes = static_cast<std::uint64_t>(value);
  if constexpr (D == Dialect::draft01) bytes = spread_groups(bytes) | 0x8080808080808000;
  return std::byteswap(bytes) >> (64 - 8 * size);
}

/// Writes the int_size(value) bytes of an integer and returns their number.
template <Dialect D>
inline std::size_t put_int(std::byte* to, std::int64_t value) noexcept {
  const std::size_t size = int_size<D>(value);
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t place = size - 1 - i;
    if constexpr (D == Dialect::draft01) {
      // The tenth group holds one bit of the number; the arithmetic shift fills it with the sign.
      const auto more = static_cast<std::uint64_t>(place > 0) << 7;
      to[i] = static_cast<std::byte>((value >> 7 * place & 0x7F) | more);
    } else {
      to[i] = static_cast<std::byte>(value >> 8 * place);
    }
  }
  return size;
}

/// The bytes of a length, 1 to 5: always a PVarInt.
constexpr std::size_t length_size(std::size_t length) noexcept {
  return int_size<Dialect::draft01>(static_cast<std::int64_t>(length));
}

/// Writes a length of at most kLengthMax and returns how many bytes it has.
inline std::size_t put_length(std::byte* to, std::size_t length) noexcept {
  return put_int<Dialect::draft01>(to, static_cast<std::int64_t>(length));
}

/// Reads the length that `from` starts with; `size` is how many bytes it has. Errors: truncated,
/// malformed_varint (no end within 5 bytes), negative_length, too_large (over kLengthMax).
/// Forms longer than needed are taken, as every Go implementation does.
inline DecodeErrorKind get_length(Bytes from, std::size_t& length, std::size_t& size) noexcept {
  if (!from.empty() && std::to_integer<unsigned>(from[0]) < 0x40) [[likely]] {
    length = std::to_integer<std::size_t>(from[0]);
    size = 1;
    return DecodeErrorKind::none;
  }
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < kLengthBytesMax; ++i) {
    if (i == from.size()) return DecodeErrorKind::truncated;
    value = value << 7 | std::to_integer<std::uint64_t>(from[i] & std::byte{0x7F});
    if ((from[i] & std::byte{0x80}) != std::byte{0}) continue;
    if ((from[0] & std::byte{0x40}) != std::byte{0}) return DecodeErrorKind::negative_length;
    if (value > static_cast<std::uint64_t>(kLengthMax)) return DecodeErrorKind::too_large;
    length = static_cast<std::size_t>(value);
    size = i + 1;
    return DecodeErrorKind::none;
  }
  return DecodeErrorKind::malformed_varint;
}

/// The number in the low `size` <= 8 bytes of `word`, of which the last byte is the lowest. False
/// when it does not end with its last byte.
template <Dialect D>
constexpr bool int_from_word(std::uint64_t word, std::size_t size, std::int64_t& into) noexcept {
  const std::size_t unused = 64 - 8 * size;
  if constexpr (D == Dialect::draft01) {
    const std::uint64_t high_bits = word << unused & 0x8080808080808080;
    if (high_bits != 0x8080808080808000 << unused) return false;
    const std::size_t above = 64 - 7 * size;
    into = static_cast<std::int64_t>(join_groups(word) << above) >> above;
  } else {
    into = static_cast<std::int64_t>(word << unused) >> unused;
  }
  return true;
}

/// An integer of up to `Max` bytes. Errors: malformed_varint (no byte, too many, or an end that is
/// not the last byte), number_out_of_range (does not fit 64 bits).
template <Dialect D, std::size_t Max>
inline DecodeErrorKind get_int64(Bytes value, std::int64_t& into) noexcept {
  const std::size_t size = value.size();
  if (size == 0 || size > Max) return DecodeErrorKind::malformed_varint;
  if (size <= 8) [[likely]] {
    return int_from_word<D>(load_be(value), size, into) ? DecodeErrorKind::none
                                                        : DecodeErrorKind::malformed_varint;
  }
  constexpr unsigned kBits = D == Dialect::draft01 ? 7 : 8;
  constexpr std::byte kMore = D == Dialect::draft01 ? std::byte{0x80} : std::byte{0};
  constexpr unsigned kSign = D == Dialect::draft01 ? 0x40 : 0x80;
  constexpr unsigned kMask = (1U << kBits) - 1;
  const bool negative = (std::to_integer<unsigned>(value[0]) & kSign) != 0;
  std::uint64_t bits = negative ? ~std::uint64_t{0} : 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::byte more = i + 1 < size ? kMore : std::byte{0};
    if ((value[i] & kMore) != more) return DecodeErrorKind::malformed_varint;
    // What the shift drops, and the bit that becomes the sign, must repeat the sign.
    const auto dropped = static_cast<std::int64_t>(bits) >> (63 - kBits);
    if (dropped != (negative ? -1 : 0)) return DecodeErrorKind::number_out_of_range;
    bits = bits << kBits | (std::to_integer<std::uint64_t>(value[i]) & kMask);
  }
  into = static_cast<std::int64_t>(bits);
  return DecodeErrorKind::none;
}

/// An integer of type T. Errors as get_int64(), and number_out_of_range for one that does not fit
/// the signed type of T's size.
template <Dialect D, class T>
inline DecodeErrorKind get_int(Bytes value, T& into) noexcept {
  std::int64_t wide = 0;
  const DecodeErrorKind error = get_int64<D, kIntBytesMax<T>>(value, wide);
  if (error != DecodeErrorKind::none) return error;
  if (wide != static_cast<std::make_signed_t<T>>(wide)) return DecodeErrorKind::number_out_of_range;
  into = static_cast<T>(wide);
  return DecodeErrorKind::none;
}

/// A bool: an integer of up to 5 bytes, in draft01's form, that is 0 or 1.
inline DecodeErrorKind get_bool(Bytes value, bool& into) noexcept {
  std::int64_t wide = 0;
  const DecodeErrorKind error = get_int64<Dialect::draft01, 5>(value, wide);
  if (error != DecodeErrorKind::none) return error;
  if (wide != 0 && wide != 1) return DecodeErrorKind::number_out_of_range;
  into = wide == 1;
  return DecodeErrorKind::none;
}

template <class F>
using FloatBits = std::conditional_t<sizeof(F) == 4, std::uint32_t, std::uint64_t>;

/// The bytes that a float takes: those of its big-endian IEEE form up to the last that is not
/// zero, and at least one.
template <class F>
inline std::size_t float_size(F value) noexcept {
  const auto bits = std::bit_cast<FloatBits<F>>(value);
  const auto zeros = static_cast<std::size_t>(std::countr_zero(bits)) / 8;
  return zeros < sizeof(F) ? sizeof(F) - zeros : 1;
}

/// Writes the float_size(value) bytes of a float and returns their number.
template <class F>
inline std::size_t put_float(std::byte* to, F value) noexcept {
  const auto bits = std::byteswap(std::bit_cast<FloatBits<F>>(value));
  const std::size_t size = float_size(value);
  for (std::size_t i = 0; i < size; ++i) to[i] = static_cast<std::byte>(bits >> 8 * i);
  return size;
}

/// A float. Error: number_format (no byte, or more than the type has).
template <class F>
inline DecodeErrorKind get_float(Bytes value, F& into) noexcept {
  if (value.empty() || value.size() > sizeof(F)) return DecodeErrorKind::number_format;
  const std::uint64_t bits = load_be(value) << (8 * (sizeof(F) - value.size()));
  into = std::bit_cast<F>(static_cast<FloatBits<F>>(bits));
  return DecodeErrorKind::none;
}

}  // namespace wiremark::wire::y3
