// The formats of messages as users name them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

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

}  // namespace wiremark::tools
