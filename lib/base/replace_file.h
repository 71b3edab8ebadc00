// A file written beside its name and then renamed to it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace wiremark {

/// Makes `file` one that holds `text`: a reader sees all of it, or what was there before. What is
/// written first has a name in the same folder that nobody can know before, and is made anew, so
/// that a file or link planted there is neither followed nor overwritten.
/// Errors: those of open(2), write(2), close(2) and rename(2), and nothing is left behind.
Result<> replace_file(const std::string& file, std::string_view text);

}  // namespace wiremark
