// Writes the vtable, then the table with its widest numbers first, then the texts.
#include "wire/flatbuffers/pairs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "wire/flatbuffers/wire.h"

namespace wiremark::wire {
namespace {

/// Bytes of a field in its table; a text is an offset there.
constexpr std::size_t field_size(ValueType type) {
  return type == ValueType::int64 || type == ValueType::uint64 || type == ValueType::float64 ? 8
                                                                                             : 4;
}

constexpr std::size_t text_size(std::size_t length) {
  return flatbuffers::round_up(4 + length + 1, 4);
}

/// Where the parts of a packet of so many pairs start.
struct Layout {
  std::size_t table;  ///< 4 over a multiple of 8: the numbers of 8 bytes follow the 4 of its start.
  std::size_t narrow;  ///< The fields of 4 bytes, behind those of 8; counted from the table.
  std::size_t texts;

  explicit Layout(std::size_t count) {
    std::size_t wide = 0;
    for (unsigned key = 1; key <= count; ++key) wide += field_size(pair_type(key)) == 8;
    table =
        flatbuffers::round_up(4 + flatbuffers::vtable_entry(static_cast<unsigned>(count)), 8) + 4;
    narrow = 4 + 8 * wide;
    texts = table + narrow + 4 * (count - wide);
  }
};

std::uint64_t bits_of(const Value& value) {
  switch (static_cast<ValueType>(value.index())) {
    case ValueType::text:
      return 0;
    case ValueType::int32:
      return static_cast<std::uint32_t>(*std::get_if<std::int32_t>(&value));
    case ValueType::uint32:
      return *std::get_if<std::uint32_t>(&value);
    case ValueType::int64:
      return static_cast<std::uint64_t>(*std::get_if<std::int64_t>(&value));
    case ValueType::uint64:
      return *std::get_if<std::uint64_t>(&value);
    case ValueType::float32:
      return std::bit_cast<std::uint32_t>(*std::get_if<float>(&value));
    case ValueType::float64:
      return std::bit_cast<std::uint64_t>(*std::get_if<double>(&value));
  }
  return 0;
}

/// Writes one text with its length, terminator and padding; returns where it ends.
std::byte* put_text(std::byte* to, std::string_view text) {
  const std::size_t size = text_size(text.size());
  store_le(to + size - 4, std::uint32_t{0});
  store_le(to, static_cast<std::uint32_t>(text.size()));
  if (!text.empty()) std::memcpy(to + 4, text.data(), text.size());
  return to + size;
}

Value number(const flatbuffers::Reader& reader, std::size_t at, ValueType type) {
  switch (type) {
    case ValueType::int32:
      return static_cast<std::int32_t>(reader.load<std::uint32_t>(at));
    case ValueType::uint32:
      return reader.load<std::uint32_t>(at);
    case ValueType::int64:
      return static_cast<std::int64_t>(reader.load<std::uint64_t>(at));
    case ValueType::float32:
      return std::bit_cast<float>(reader.load<std::uint32_t>(at));
    case ValueType::float64:
      return std::bit_cast<double>(reader.load<std::uint64_t>(at));
    default:
      return reader.load<std::uint64_t>(at);
  }
}

/// Reads the field of `key`. An absent one is missing_field, although a builder also leaves out
/// values that equal the default.
DecodeError read(flatbuffers::Reader& reader, const flatbuffers::Table& table, unsigned key,
                 Value& value) {
  if (pair_type(key) == ValueType::text) {
    Bytes text;
    if (!reader.text(table, key - 1, text)) return reader.error();
    value = as_text(text);
    return {};
  }
  std::size_t at = 0;
  const ValueType type = pair_type(key);
  if (!reader.scalar(table, key - 1, field_size(type), at)) return reader.error();
  if (at == 0) return {DecodeErrorKind::missing_field, table.at};
  value = number(reader, at, type);
  return {};
}

/// Whether the text that the offset at `at` leads to lies inside the packet, as Reader::text() has
/// it. Four bytes must be readable at `at`.
bool is_text(Bytes packet, std::size_t at, const Limits& limits) {
  const std::size_t offset = load_le<std::uint32_t>(packet.data() + at);
  const std::size_t to = at + offset;
  if (offset == 0 || offset > INT32_MAX || to % 4 != 0 || to > packet.size() - 4) return false;
  const std::size_t size = load_le<std::uint32_t>(packet.data() + to);
  return size <= limits.frame_size && size < packet.size() - to - 4 &&
         packet[to + 4 + size] == std::byte{0};
}

/// Whether every field is what read() accepts, without a branch for each number: of those only the
/// farthest of each width, and the lowest bits of all, are compared. It does not say what is wrong.
bool is_whole(Bytes packet, const flatbuffers::Table& table, const Limits& limits) {
  // An absent field has offset 0; so have those that the vtable is too short for.
  std::array<std::byte, 2 * kMaxPairs> offsets{};
  constexpr std::size_t kFirst = flatbuffers::vtable_entry(0);
  if (table.vtable_size > kFirst) {
    const std::size_t size = std::min(table.vtable_size - kFirst, offsets.size());
    if (size == offsets.size()) {
      std::memcpy(offsets.data(), packet.data() + table.vtable + kFirst, offsets.size());
    } else {
      std::memcpy(offsets.data(), packet.data() + table.vtable + kFirst, size);
    }
  }
  std::size_t far_narrow = 0, far_wide = 0, low_narrow = 0, low_wide = 0;
  std::array<std::size_t, kMaxPairs> texts;
  std::size_t text_count = 0;
  const auto look = [&]<std::size_t kId>() {
    constexpr ValueType kType = pair_type(kId + 1);
    const std::size_t offset = load_le<std::uint16_t>(offsets.data() + 2 * kId);
    if constexpr (field_size(kType) == 8) {
      far_wide = std::max(far_wide, offset);
      low_wide |= offset == 0 ? 0 : table.at + offset;
    } else {
      far_narrow = std::max(far_narrow, offset);
      low_narrow |= offset;
    }
    if constexpr (kType == ValueType::text) {
      texts[text_count] = table.at + offset;
      text_count += offset != 0;
    }
  };
  [&]<std::size_t... kIds>(std::index_sequence<kIds...>) {
    (look.template operator()<kIds>(), ...);
  }(std::make_index_sequence<kMaxPairs>{});
  // The table is aligned to four bytes, and its first four are inside.
  const std::size_t left = packet.size() - table.at;
  if (low_narrow % 4 != 0 || low_wide % 8 != 0 || far_narrow > left - 4) return false;
  if (far_wide != 0 && (left < 8 || far_wide > left - 8)) return false;
  return std::all_of(texts.begin(), texts.begin() + static_cast<std::ptrdiff_t>(text_count),
                     [&](std::size_t at) { return is_text(packet, at, limits); });
}

}  // namespace

std::size_t FlatbuffersPairs::max_size(std::span<const Value> values) const noexcept {
  std::size_t size = Layout(values.size()).texts + 4;
  for (const Value& value : values) {
    if (const auto* text = std::get_if<std::string_view>(&value)) size += text_size(text->size());
  }
  return size;
}

std::size_t FlatbuffersPairs::encode(std::span<const Value> values,
                                     MutableBytes to) const noexcept {
  if (values.size() > kMaxPairs || to.size() < max_size(values)) return 0;
  const Layout layout(values.size());
  std::byte* const start = to.data();
  std::byte* const table = start + layout.table;
  constexpr std::size_t kVtable = 4;
  store_le(start, static_cast<std::uint32_t>(layout.table));
  store_le(start + kVtable, static_cast<std::uint16_t>(
                                flatbuffers::vtable_entry(static_cast<unsigned>(values.size()))));
  store_le(start + kVtable + 2, static_cast<std::uint16_t>(layout.texts - layout.table));
  store_le(table, static_cast<std::uint32_t>(layout.table - kVtable));
  std::byte* wide = table + 4;
  std::byte* narrow = table + layout.narrow;
  std::byte* text_at = start + layout.texts;
  unsigned id = 0;
  for (const Value& value : values) {
    const auto type = static_cast<ValueType>(value.index());
    if (type != pair_type(id + 1)) return 0;
    std::byte*& field = field_size(type) == 8 ? wide : narrow;
    store_le(start + kVtable + flatbuffers::vtable_entry(id),
             static_cast<std::uint16_t>(field - table));
    if (const auto* text = std::get_if<std::string_view>(&value)) {
      store_le(field, static_cast<std::uint32_t>(text_at - field));
      text_at = put_text(text_at, *text);
    } else if (field_size(type) == 8) {
      store_le(field, bits_of(value));
    } else {
      store_le(field, static_cast<std::uint32_t>(bits_of(value)));
    }
    field += field_size(type);
    ++id;
  }
  // Padding between the vtable and the table.
  std::byte* const gap = start + kVtable + flatbuffers::vtable_entry(id);
  std::memset(gap, 0, static_cast<std::size_t>(table - gap));
  return static_cast<std::size_t>(text_at - start);
}

DecodeError FlatbuffersPairs::take(Bytes packet, unsigned key, ValueType type,
                                   Value& value) const noexcept {
  flatbuffers::Reader reader(packet, limits_);
  flatbuffers::Table table;
  if (!reader.root(table)) return reader.error();
  if (key == 0 || key > kMaxPairs) return {DecodeErrorKind::missing_field, table.at};
  if (type != pair_type(key)) return {DecodeErrorKind::wrong_type, table.at};
  return read(reader, table, key, value);
}

DecodeError FlatbuffersPairs::take_checked(Bytes packet, unsigned key, ValueType type,
                                           Value& value) const noexcept {
  flatbuffers::Reader reader(packet, limits_);
  flatbuffers::Table table;
  if (!reader.root(table)) return reader.error();
  if (is_whole(packet, table, limits_)) [[likely]]
    return take(packet, key, type, value);
  for (unsigned each = 1; each <= kMaxPairs; ++each) {
    Value unused;
    if (!reader.has(table, each - 1)) continue;
    const DecodeError error = read(reader, table, each, unused);
    if (error) return error;
  }
  return take(packet, key, type, value);
}

}  // namespace wiremark::wire
