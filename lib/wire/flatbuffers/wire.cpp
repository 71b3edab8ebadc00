// Reads tables, vtables and vectors; every load is checked before.
#include "wire/flatbuffers/wire.h"

namespace wiremark::wire::flatbuffers {

bool Reader::root(Table& table) noexcept {
  if (from_.size() < 4) return fail(DecodeErrorKind::truncated, from_.size());
  std::size_t at = 0;
  return follow(0, at) && open(at, table);
}

bool Reader::child(const Table& parent, unsigned id, Table& table) noexcept {
  const std::size_t at = field(parent, id);
  if (at == 0) return fail(DecodeErrorKind::missing_field, parent.at);
  std::size_t to = 0;
  return follow(at, to) && open(to, table);
}

bool Reader::bytes(const Table& table, unsigned id, Bytes& value) noexcept {
  const std::size_t at = field(table, id);
  if (at == 0) return fail(DecodeErrorKind::missing_field, table.at);
  std::size_t to = 0;
  if (!follow(at, to) || !inside(to, 4)) return false;
  const std::size_t size = load<std::uint32_t>(to);
  if (size > limits_.frame_size) return fail(DecodeErrorKind::too_large, to);
  if (size > from_.size() - to - 4) return fail(DecodeErrorKind::truncated, to);
  value = from_.subspan(to + 4, size);
  return true;
}

bool Reader::text(const Table& table, unsigned id, Bytes& value) noexcept {
  if (!bytes(table, id, value)) return false;
  const std::byte* const end = value.data() + value.size();
  const auto at = static_cast<std::size_t>(end - from_.data());
  if (at == from_.size()) return fail(DecodeErrorKind::truncated, at);
  if (*end != std::byte{0}) return fail(DecodeErrorKind::missing_terminator, at);
  return true;
}

// Follows the offset at `from`, which counts from its own position. 0 would point to itself.
bool Reader::follow(std::size_t from, std::size_t& to) noexcept {
  if (!inside(from, 4)) return false;
  const std::size_t offset = load<std::uint32_t>(from);
  if (offset == 0 || offset > INT32_MAX) return fail(DecodeErrorKind::bad_offset, from);
  to = from + offset;
  return true;
}

bool Reader::open(std::size_t at, Table& table) noexcept {
  if (!inside(at, 4)) return false;
  // Signed, and counted backwards: a vtable may stand behind its table.
  const auto back = static_cast<std::int32_t>(load<std::uint32_t>(at));
  const std::int64_t vtable = static_cast<std::int64_t>(at) - back;
  if (vtable < 0 || vtable > static_cast<std::int64_t>(from_.size()) - 2) {
    return fail(DecodeErrorKind::bad_vtable, at);
  }
  table.at = at;
  table.vtable = static_cast<std::size_t>(vtable);
  if (table.vtable % 2 != 0) return fail(DecodeErrorKind::unaligned, table.vtable);
  table.vtable_size = load<std::uint16_t>(table.vtable);
  if (table.vtable_size % 2 != 0 || table.vtable_size > from_.size() - table.vtable) {
    return fail(DecodeErrorKind::bad_vtable, table.vtable);
  }
  return true;
}

}  // namespace wiremark::wire::flatbuffers
