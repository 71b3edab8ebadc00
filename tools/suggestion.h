// What a mistyped word was meant to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wiremark::tools {

/// The one of `words` that `typed` is the beginning of, or is few keystrokes away from; empty when
/// none is near.
std::string suggestion(std::string_view typed, const std::vector<std::string>& words);

}  // namespace wiremark::tools
