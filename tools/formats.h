// The formats of messages as users name them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "wire/formats.h"

namespace wiremark::tools {

using wire::format_names;
using wire::kRaw;

/// One of `names`. Errors: any other text.
Result<std::string> parse_format(const std::string& text, const std::vector<std::string>& names);

/// A size from 64 to 16M, the longest message of a format.
Result<std::size_t> parse_max_frame(const std::string& text);

/// "raw, bytes, protobuf or json".
std::string in_words(const std::vector<std::string>& names);

}  // namespace wiremark::tools
