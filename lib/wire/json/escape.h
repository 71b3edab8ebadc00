// The escapes of a JSON string that has been checked, and what they stand for.
#pragma once

#include <string_view>

namespace wiremark::wire {

/// Is a name as it is written, escapes and all, the name `plain` of ASCII letters and digits?
/// `raw` must have passed JsonWalker::key.
bool json_key_is(std::string_view raw, std::string_view plain) noexcept;

/// Writes what `raw` stands for, at most raw.size() bytes, to `to`. `raw` must have passed
/// JsonWalker::text.
std::string_view json_unescape(std::string_view raw, char* to) noexcept;

}  // namespace wiremark::wire
