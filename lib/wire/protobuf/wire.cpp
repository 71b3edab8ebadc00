// Reads what protobuf/wire.h leaves to a call: long varints, and fields to be skipped.
#include "wire/protobuf/wire.h"

#include <algorithm>
#include <array>

namespace wiremark::wire::protobuf {
namespace {

// Deeper groups are refused whatever the limits say, because their numbers are kept in an array.
constexpr unsigned kMaxGroupDepth = 64;

// libprotobuf reads tags and lengths of at most this many bytes, and so do we.
constexpr std::size_t kMaxShortVarintSize = 5;

}  // namespace

bool Reader::long_varint(std::uint64_t& value) noexcept {
  const std::size_t start = at_;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kMaxVarintSize; ++i) {
    if (start + i == from_.size()) return fail(DecodeErrorKind::truncated, from_.size());
    const auto byte = std::to_integer<std::uint64_t>(from_[start + i]);
    // The tenth byte holds bit 63 and nothing else.
    if (i == kMaxVarintSize - 1 && byte > 1) return fail(DecodeErrorKind::malformed_varint, start);
    sum |= (byte & 0x7F) << (7 * i);
    if (byte < 0x80) {
      value = sum;
      at_ = start + i + 1;
      return true;
    }
  }
  return fail(DecodeErrorKind::malformed_varint, start);
}

bool Reader::long_tag(std::uint32_t& tag) noexcept {
  const std::size_t start = at_;
  std::uint64_t value = 0;
  if (!varint(value)) return false;
  const bool too_long = at_ - start > kMaxShortVarintSize || value > UINT32_MAX;
  if (too_long || value >> 3 == 0 || (value & 7) > 5) {
    return fail(DecodeErrorKind::invalid_tag, start);
  }
  tag = static_cast<std::uint32_t>(value);
  return true;
}

bool Reader::long_bytes(Bytes& value) noexcept {
  const std::size_t start = at_;
  std::uint64_t size = 0;
  if (!varint(size)) return false;
  if (size > limits_.frame_size) return fail(DecodeErrorKind::too_large, start);
  if (at_ - start > kMaxShortVarintSize) return fail(DecodeErrorKind::malformed_varint, start);
  if (size > from_.size() - at_) return fail(DecodeErrorKind::truncated, from_.size());
  value = from_.subspan(at_, size);
  at_ += size;
  return true;
}

bool Reader::skip_plain(std::uint32_t tag) noexcept {
  std::uint64_t number = 0;
  std::uint32_t half = 0;
  Bytes run;
  switch (WireType(tag & 7)) {
    case WireType::varint:
      return varint(number);
    case WireType::fixed64:
      return fixed(number);
    case WireType::fixed32:
      return fixed(half);
    default:
      return bytes(run);
  }
}

bool Reader::skip_group(std::uint32_t tag) noexcept {
  std::array<std::uint32_t, kMaxGroupDepth> open;
  const unsigned limit = std::min(limits_.depth, kMaxGroupDepth);
  unsigned depth = 0;
  std::size_t start = at_ - 1;
  for (;;) {
    if (WireType(tag & 7) == WireType::group_start) {
      if (depth == limit) return fail(DecodeErrorKind::depth_exceeded, start);
      open[depth++] = tag >> 3;
    } else if (WireType(tag & 7) == WireType::group_end) {
      if (depth == 0 || open[depth - 1] != tag >> 3) {
        return fail(DecodeErrorKind::invalid_tag, start);
      }
      if (--depth == 0) return true;
    } else if (!skip_plain(tag)) {
      return false;
    }
    start = at_;
    if (!this->tag(tag)) return false;
  }
}

}  // namespace wiremark::wire::protobuf
