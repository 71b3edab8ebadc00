// Why a packet was refused, and at which byte.
#include "wire/decode_error.h"

namespace wiremark::wire {

std::string_view to_string(DecodeErrorKind kind) noexcept {
  switch (kind) {
    case DecodeErrorKind::none:
      return "none";
    case DecodeErrorKind::need_more_data:
      return "need_more_data";
    case DecodeErrorKind::truncated:
      return "truncated";
    case DecodeErrorKind::too_large:
      return "too_large";
    case DecodeErrorKind::trailing_data:
      return "trailing_data";
    case DecodeErrorKind::malformed_varint:
      return "malformed_varint";
    case DecodeErrorKind::negative_length:
      return "negative_length";
    case DecodeErrorKind::invalid_tag:
      return "invalid_tag";
    case DecodeErrorKind::depth_exceeded:
      return "depth_exceeded";
    case DecodeErrorKind::missing_field:
      return "missing_field";
    case DecodeErrorKind::duplicate_field:
      return "duplicate_field";
    case DecodeErrorKind::wrong_type:
      return "wrong_type";
    case DecodeErrorKind::number_format:
      return "number_format";
    case DecodeErrorKind::number_out_of_range:
      return "number_out_of_range";
    case DecodeErrorKind::control_character:
      return "control_character";
    case DecodeErrorKind::invalid_escape:
      return "invalid_escape";
    case DecodeErrorKind::invalid_utf8:
      return "invalid_utf8";
    case DecodeErrorKind::syntax:
      return "syntax";
    case DecodeErrorKind::bad_offset:
      return "bad_offset";
    case DecodeErrorKind::bad_vtable:
      return "bad_vtable";
    case DecodeErrorKind::unaligned:
      return "unaligned";
    case DecodeErrorKind::missing_terminator:
      return "missing_terminator";
  }
  return "unknown";
}

}  // namespace wiremark::wire
