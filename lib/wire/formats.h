// The formats of messages by the names that users write.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wiremark::wire {

/// Bytes without a format, which nobody looks into.
inline constexpr std::string_view kRaw = "raw";

/// raw, and every format that has a codec, in the order in which tools list them.
std::vector<std::string> format_names();

}  // namespace wiremark::wire
