// Resolves the escapes of a JSON string.
#pragma once

#include <string_view>

namespace wiremark::wire {

/// Whether `raw`, a name with its escapes, means `plain`, which has ASCII letters and digits only.
/// `raw` must have passed JsonWalker::key.
bool json_key_is(std::string_view raw, std::string_view plain) noexcept;

/// Writes what `raw` stands for to `to`, which has room for raw.size() + kJsonBlock bytes. False
/// where `raw` cannot stand between the quotes of a string.
bool json_unescape(std::string_view raw, char* to, std::string_view& into) noexcept;

}  // namespace wiremark::wire
