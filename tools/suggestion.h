// Guesses what a mistyped word was meant to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wiremark::tools {

/// The word of `words` that starts with `typed` or is a few keystrokes away; empty if none is.
std::string suggestion(std::string_view typed, const std::vector<std::string>& words);

}  // namespace wiremark::tools
