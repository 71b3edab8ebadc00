// The formats of messages as users name them, and what is said of bytes that are not in one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "wire/decode_error.h"

namespace wiremark::tools {

/// Bytes without a format: a message is what was sent, and nobody looks into it.
inline constexpr std::string_view kRaw = "raw";

/// raw, and every format that has a codec.
std::vector<std::string> format_names();

/// One of `names`. Errors: any other text.
Result<std::string> parse_format(const std::string& text, const std::vector<std::string>& names);

/// A size from 64 to 16M, the longest message of a format.
Result<std::size_t> parse_max_frame(const std::string& text);

/// "raw, bytes, protobuf or json".
std::string in_words(const std::vector<std::string>& names);

/// "json: syntax", the name by which errors of one kind are counted.
std::string name_of(std::string_view format, wire::DecodeErrorKind kind);

/// What was expected, where it failed and what arrived instead: "json: syntax at byte 4; expected a
/// json frame, got 08 b7 04 ... (looks like protobuf)". `stream` starts with the refused frame and
/// `error.offset` counts from there.
std::string describe(std::string_view format, const wire::DecodeError& error, Bytes stream);

}  // namespace wiremark::tools
