// How errors describe bytes that are not a message of a format.
#pragma once

#include <string>
#include <string_view>

#include "base/bytes.h"
#include "wire/decode_error.h"

namespace wiremark::wire {

/// "json: syntax", the name by which errors of one kind are counted.
std::string name_of(std::string_view format, DecodeErrorKind kind);

/// What was expected, where it failed and what arrived instead: "json: syntax at byte 4; expected a
/// json frame, got 08 b7 04 ... (looks like protobuf)". `stream` starts with the refused frame and
/// `error.offset` counts from there.
std::string describe(std::string_view format, const DecodeError& error, Bytes stream);

}  // namespace wiremark::wire
