// Why a packet was refused, and at which byte. Stable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace wiremark::wire {

enum class DecodeErrorKind : std::uint8_t {
  none,
  need_more_data,  ///< A stream ends inside a frame; more bytes may complete it.
  truncated,       ///< A whole packet ends inside a field.
  too_large,
  trailing_data,
  malformed_varint,
  negative_length,
  invalid_tag,
  depth_exceeded,
  missing_field,
  duplicate_field,
  wrong_type,
  number_format,
  number_out_of_range,
  control_character,
  invalid_escape,
  invalid_utf8,
  syntax,
  bad_offset,
  bad_vtable,
  unaligned,
  missing_terminator,
};

/// The kind as it is written in reports and test vectors, such as "malformed_varint".
std::string_view to_string(DecodeErrorKind kind) noexcept;

/// The outcome of a decode: true when it failed. `offset` counts bytes from the start of what was
/// given to the decoder and is 0 on success.
struct [[nodiscard]] DecodeError {
  DecodeErrorKind kind = DecodeErrorKind::none;
  std::size_t offset = 0;

  explicit operator bool() const noexcept { return kind != DecodeErrorKind::none; }
  bool operator==(const DecodeError&) const = default;
};

}  // namespace wiremark::wire
