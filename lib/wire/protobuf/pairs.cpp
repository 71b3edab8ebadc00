// Takes a value in one pass over the fields, which stops at the key or at the end.
#include "wire/protobuf/pairs.h"

#include <bit>
#include <cstring>
#include <utility>

#include "wire/protobuf/wire.h"
#include "wire/utf8.h"

namespace wiremark::wire {
namespace {

using protobuf::WireType;

constexpr WireType wire_type(ValueType type) {
  switch (type) {
    case ValueType::text:
      return WireType::bytes;
    case ValueType::float32:
      return WireType::fixed32;
    case ValueType::float64:
      return WireType::fixed64;
    default:
      return WireType::varint;
  }
}

std::byte* put(std::byte* to, unsigned key, const Value& value) {
  const auto type = static_cast<ValueType>(value.index());
  to = protobuf::put_varint(to, protobuf::tag_of(key, wire_type(type)));
  switch (type) {
    case ValueType::text: {
      const std::string_view text = *std::get_if<std::string_view>(&value);
      to = protobuf::put_varint(to, text.size());
      if (!text.empty()) std::memcpy(to, text.data(), text.size());
      return to + text.size();
    }
    case ValueType::int32:
      return protobuf::put_int32(to, *std::get_if<std::int32_t>(&value));
    case ValueType::uint32:
      return protobuf::put_varint(to, *std::get_if<std::uint32_t>(&value));
    case ValueType::int64:
      return protobuf::put_varint(to,
                                  static_cast<std::uint64_t>(*std::get_if<std::int64_t>(&value)));
    case ValueType::uint64:
      return protobuf::put_varint(to, *std::get_if<std::uint64_t>(&value));
    case ValueType::float32:
      store_le(to, std::bit_cast<std::uint32_t>(*std::get_if<float>(&value)));
      return to + 4;
    case ValueType::float64:
      store_le(to, std::bit_cast<std::uint64_t>(*std::get_if<double>(&value)));
      return to + 8;
  }
  return to;
}

/// Puts `number` into `value`; false when the type asked for cannot hold it.
bool narrow(std::uint64_t number, ValueType type, Value& value) {
  const auto as_signed = static_cast<std::int64_t>(number);
  switch (type) {
    case ValueType::int32:
      value = static_cast<std::int32_t>(number);
      return std::in_range<std::int32_t>(as_signed);
    case ValueType::uint32:
      value = static_cast<std::uint32_t>(number);
      return std::in_range<std::uint32_t>(number);
    case ValueType::int64:
      value = as_signed;
      return true;
    default:
      value = number;
      return true;
  }
}

/// Reads the value behind a tag of the wire type of `type`.
DecodeError read(protobuf::Reader& reader, ValueType type, Value& value) {
  const std::size_t start = reader.position();
  switch (wire_type(type)) {
    case WireType::bytes: {
      Bytes text;
      if (!reader.bytes(text)) return reader.error();
      if (!is_utf8(text)) {
        const std::size_t at = reader.position() - text.size() + utf8_prefix(text);
        return {DecodeErrorKind::invalid_utf8, at};
      }
      value = as_text(text);
      return {};
    }
    case WireType::fixed32: {
      std::uint32_t bits = 0;
      if (!reader.fixed(bits)) return reader.error();
      value = std::bit_cast<float>(bits);
      return {};
    }
    case WireType::fixed64: {
      std::uint64_t bits = 0;
      if (!reader.fixed(bits)) return reader.error();
      value = std::bit_cast<double>(bits);
      return {};
    }
    default: {
      std::uint64_t number = 0;
      if (!reader.varint(number)) return reader.error();
      if (!narrow(number, type, value)) return {DecodeErrorKind::number_out_of_range, start};
      return {};
    }
  }
}

template <bool kWholePacket>
DecodeError scan(Bytes packet, const Limits& limits, unsigned key, ValueType type, Value& value) {
  if (packet.size() > limits.frame_size) return {DecodeErrorKind::too_large, 0};
  const std::uint32_t wanted = protobuf::tag_of(key, wire_type(type));
  bool found = false;
  protobuf::Reader reader(packet, limits);
  while (!reader.at_end()) {
    const std::size_t start = reader.position();
    std::uint32_t tag = 0;
    if (!reader.tag(tag)) return reader.error();
    if (tag == wanted) {
      const DecodeError error = read(reader, type, value);
      if (error || !kWholePacket) return error;
      found = true;
    } else if (tag >> 3 == key) {
      return {DecodeErrorKind::wrong_type, start};
    } else if (!reader.skip(tag)) {
      return reader.error();
    }
  }
  if (!found) return {DecodeErrorKind::missing_field, packet.size()};
  return {};
}

}  // namespace

std::size_t ProtobufPairs::max_size(std::span<const Value> values) const noexcept {
  std::size_t size = 0;
  for (const Value& value : values) {
    const auto* text = std::get_if<std::string_view>(&value);
    size += 2 + protobuf::kMaxVarintSize + (text ? text->size() : 0);
  }
  return size;
}

std::size_t ProtobufPairs::encode(std::span<const Value> values, MutableBytes to) const noexcept {
  if (values.size() > kMaxPairs || to.size() < max_size(values)) return 0;
  std::byte* at = to.data();
  unsigned key = 0;
  for (const Value& value : values) at = put(at, ++key, value);
  return static_cast<std::size_t>(at - to.data());
}

DecodeError ProtobufPairs::take(Bytes packet, unsigned key, ValueType type,
                                Value& value) const noexcept {
  return scan<false>(packet, limits_, key, type, value);
}

DecodeError ProtobufPairs::take_checked(Bytes packet, unsigned key, ValueType type,
                                        Value& value) const noexcept {
  return scan<true>(packet, limits_, key, type, value);
}

}  // namespace wiremark::wire
