// The wire format of FlatBuffers: tables, their vtables and vectors, checked before they are read.
// Source: flatbuffers.dev, "FlatBuffer Internals".
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "wire/codec.h"
#include "wire/decode_error.h"

namespace wiremark::wire::flatbuffers {

/// A table whose position, vtable and vtable size have been checked.
struct Table {
  std::size_t at = 0;
  std::size_t vtable = 0;
  std::size_t vtable_size = 0;
};

/// Where the vtable of a table keeps the offset of field `id`, counted from 0 in the schema.
constexpr std::size_t vtable_entry(unsigned id) noexcept { return 4 + 2 * std::size_t{id}; }

constexpr std::size_t round_up(std::size_t size, std::size_t to) noexcept {
  return (size + to - 1) / to * to;
}

/// Accepts what the library's verifier accepts: any layout whose offsets stay inside, with every
/// number aligned to its size. Each function is false after a failure, and error() says why.
/// Positions are offsets from the start of the buffer.
class Reader {
 public:
  Reader(Bytes from, const Limits& limits) noexcept : from_(from), limits_(limits) {}

  DecodeError error() const noexcept { return error_; }

  /// The table that the first four bytes lead to.
  bool root(Table& table) noexcept;

  /// The table that the offset at field `id` of `parent` leads to.
  bool child(const Table& parent, unsigned id, Table& table) noexcept;

  /// The position of a number, of field `id`; 0 when the field is absent, which is no failure.
  bool scalar(const Table& table, unsigned id, std::size_t size, std::size_t& at) noexcept {
    at = field(table, id);
    return at == 0 || inside(at, size);
  }

  /// A vector of bytes that must be there; borrowed, without its length.
  bool bytes(const Table& table, unsigned id, Bytes& value) noexcept;

  /// A string that must be there: a vector of bytes with a zero behind it.
  bool text(const Table& table, unsigned id, Bytes& value) noexcept;

  bool has(const Table& table, unsigned id) const noexcept { return field(table, id) != 0; }

  template <std::unsigned_integral T>
  T load(std::size_t at) const noexcept {
    return load_le<T>(from_.data() + at);
  }

 private:
  bool fail(DecodeErrorKind kind, std::size_t at) noexcept {
    error_ = {kind, std::min(at, from_.size())};
    return false;
  }
  std::size_t field(const Table& table, unsigned id) const noexcept {
    if (vtable_entry(id) + 2 > table.vtable_size) return 0;
    const auto offset = load<std::uint16_t>(table.vtable + vtable_entry(id));
    return offset == 0 ? 0 : table.at + offset;
  }
  /// Whether a number of `size` bytes at `at` is aligned and inside the buffer.
  bool inside(std::size_t at, std::size_t size) noexcept {
    if (at % size != 0) return fail(DecodeErrorKind::unaligned, at);
    if (at > from_.size() || from_.size() - at < size) return fail(DecodeErrorKind::bad_offset, at);
    return true;
  }
  bool follow(std::size_t from, std::size_t& to) noexcept;
  bool open(std::size_t at, Table& table) noexcept;

  Bytes from_;
  const Limits& limits_;
  DecodeError error_;
};

// Inline, as the verifier of the library is: behind calls they take twice the time.

inline bool Reader::root(Table& table) noexcept {
  if (from_.size() < 4) return fail(DecodeErrorKind::truncated, from_.size());
  std::size_t at = 0;
  return follow(0, at) && open(at, table);
}

inline bool Reader::child(const Table& parent, unsigned id, Table& table) noexcept {
  const std::size_t at = field(parent, id);
  if (at == 0) return fail(DecodeErrorKind::missing_field, parent.at);
  std::size_t to = 0;
  return follow(at, to) && open(to, table);
}

inline bool Reader::bytes(const Table& table, unsigned id, Bytes& value) noexcept {
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

inline bool Reader::text(const Table& table, unsigned id, Bytes& value) noexcept {
  if (!bytes(table, id, value)) return false;
  const std::byte* const end = value.data() + value.size();
  const auto at = static_cast<std::size_t>(end - from_.data());
  if (at == from_.size()) return fail(DecodeErrorKind::truncated, at);
  if (*end != std::byte{0}) return fail(DecodeErrorKind::missing_terminator, at);
  return true;
}

// Follows the offset at `from`, which counts from its own position. 0 would point to itself.
inline bool Reader::follow(std::size_t from, std::size_t& to) noexcept {
  if (!inside(from, 4)) return false;
  const std::size_t offset = load<std::uint32_t>(from);
  if (offset == 0 || offset > INT32_MAX) return fail(DecodeErrorKind::bad_offset, from);
  to = from + offset;
  return true;
}

inline bool Reader::open(std::size_t at, Table& table) noexcept {
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
