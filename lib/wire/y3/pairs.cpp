// Numbered key/value pairs as a Y3 packet: node 0 with a primitive per key (experiment E6).
#include "wire/y3/pairs.h"

#include <concepts>
#include <cstdint>
#include <variant>

#include "wire/y3/packet.h"

namespace wiremark::wire {

namespace {

using y3::Dialect;

constexpr y3::Tag kPairsTag = y3::node_tag(0);

template <class T, class Get>
DecodeErrorKind get_as(Bytes value, Value& into, Get get) noexcept {
  T number{};
  const DecodeErrorKind error = get(value, number);
  if (error == DecodeErrorKind::none) into = number;
  return error;
}

template <Dialect D>
DecodeErrorKind get_value(Bytes value, ValueType type, Value& into) noexcept {
  switch (type) {
    case ValueType::text:
      into = as_text(value);
      return DecodeErrorKind::none;
    case ValueType::int32:
      return get_as<std::int32_t>(value, into, y3::get_int<D, std::int32_t>);
    case ValueType::uint32:
      return get_as<std::uint32_t>(value, into, y3::get_int<D, std::uint32_t>);
    case ValueType::int64:
      return get_as<std::int64_t>(value, into, y3::get_int<D, std::int64_t>);
    case ValueType::uint64:
      return get_as<std::uint64_t>(value, into, y3::get_int<D, std::uint64_t>);
    case ValueType::float32:
      return get_as<float>(value, into, y3::get_float<float>);
    case ValueType::float64:
      return get_as<double>(value, into, y3::get_float<double>);
  }
  return DecodeErrorKind::wrong_type;
}

// Writes any value as the child `id` of a packet.
template <Dialect D>
struct ValueWriter {
  y3::Writer& writer;
  unsigned id;

  void operator()(std::string_view value) const noexcept { writer.text(id, value); }
  void operator()(float value) const noexcept { writer.real(id, value); }
  void operator()(double value) const noexcept { writer.real(id, value); }
  template <std::integral T>
  void operator()(T value) const noexcept {
    writer.integer<D>(id, value);
  }
};

}  // namespace

template <Dialect D>
std::size_t BasicY3Pairs<D>::max_size(std::span<const Value> values) const noexcept {
  std::size_t size = 1 + y3::kLengthBytesMax;
  for (const Value& value : values) {
    const auto* text = std::get_if<std::string_view>(&value);
    size += text != nullptr ? 1 + y3::kLengthBytesMax + text->size() : 2 + 10;
  }
  return size;
}

template <Dialect D>
std::size_t BasicY3Pairs<D>::encode(std::span<const Value> values, MutableBytes to) const noexcept {
  if (values.size() > kMaxPairs || to.size() < max_size(values)) return 0;
  y3::Writer writer(to);
  const std::size_t root = writer.open(kPairsTag);
  for (unsigned id = 1; const Value& value : values) {
    std::visit(ValueWriter<D>{writer, id++}, value);
  }
  writer.close(root);
  return writer.size();
}

template <Dialect D>
template <bool Checked>
DecodeError BasicY3Pairs<D>::take_plain(Bytes packet, unsigned key, ValueType type,
                                        Value& into) const noexcept {
  std::size_t length = 0;
  std::size_t size = 0;
  if (packet.size() > limits_.frame_size || packet.empty() ||
      packet[0] != std::byte{kPairsTag.bits} || key - 1 >= kMaxPairs ||
      y3::get_length(packet.subspan(1), length, size) != DecodeErrorKind::none) {
    return take_any<Checked>(packet, key, type, into);
  }
  const std::size_t begin = 1 + size;
  const std::size_t rest = packet.size() - begin;
  if (Checked ? length != rest : length > rest) return take_any<Checked>(packet, key, type, into);
  const Bytes children = packet.subspan(begin, length);
  const std::size_t at = walk_(children, key, Checked);
  if (at == y3::kAbsent) return {DecodeErrorKind::missing_field, begin + length};
  if (at == y3::kUnusual ||
      y3::get_length(children.subspan(at + 1), length, size) != DecodeErrorKind::none) {
    return take_any<Checked>(packet, key, type, into);
  }
  const std::size_t value_at = at + 1 + size;
  const DecodeErrorKind error = get_value<D>(children.subspan(value_at, length), type, into);
  if (error != DecodeErrorKind::none) return {error, begin + value_at};
  return {};
}

template <Dialect D>
template <bool Checked>
DecodeError BasicY3Pairs<D>::take_any(Bytes packet, unsigned key, ValueType type,
                                      Value& into) const noexcept {
  if (!packet.empty() && packet[0] != std::byte{kPairsTag.bits}) {
    return {DecodeErrorKind::invalid_tag, 0};
  }
  if (packet.size() > limits_.frame_size) return {DecodeErrorKind::too_large, 0};
  if constexpr (Checked) {
    if (auto error = y3::check_whole(packet, limits_)) return error;
  }
  y3::Packet root;
  if (auto error = y3::Reader(packet).next(root)) return error;
  y3::Reader children = y3::Reader::children(packet, root);
  while (!children.done()) {
    const std::size_t child_offset = children.offset();
    y3::Packet child;
    if (auto error = children.next(child)) return error;
    if (child.tag.id() != key || key == 0) continue;
    if (child.tag.is_node()) return {DecodeErrorKind::wrong_type, child_offset};
    const DecodeErrorKind error = get_value<D>(child.value, type, into);
    if (error != DecodeErrorKind::none) return {error, child.value_offset};
    return {};
  }
  return {DecodeErrorKind::missing_field, children.offset()};
}

template <Dialect D>
DecodeError BasicY3Pairs<D>::take(Bytes packet, unsigned key, ValueType type,
                                  Value& into) const noexcept {
  return take_plain<false>(packet, key, type, into);
}

template <Dialect D>
DecodeError BasicY3Pairs<D>::take_checked(Bytes packet, unsigned key, ValueType type,
                                          Value& into) const noexcept {
  return take_plain<true>(packet, key, type, into);
}

template class BasicY3Pairs<Dialect::draft01>;
template class BasicY3Pairs<Dialect::y3>;

}  // namespace wiremark::wire
