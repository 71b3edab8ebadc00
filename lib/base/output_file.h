// Files that results are written to: whole, or not at all.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace wiremark {

/// Whether replace_file() and append_rows() may write `file`: asked before the work whose result it
/// will hold. Leaves everything as it is. Errors: those of open(2), with what to do.
Result<> require_writable(const std::string& file);

/// Makes `file` one that holds `text`: a reader sees all of it, or what was there before. What is
/// written first has a name in the same folder that nobody can know before, and is made anew, so
/// that a file or link planted there is neither followed nor overwritten. A pipe or a device, and
/// what stands in /dev or /proc, such as /dev/stdout, is written to as it is.
/// Errors: those of open(2), write(2), close(2) and rename(2), and nothing is left behind.
Result<> replace_file(const std::string& file, std::string_view text);

/// Whether append_rows() would find in `file` nothing, or that header.
Result<> require_header(const std::string& file, std::string_view header);

/// Appends `rows`, under `header` where the file is new. Rows of several processes stay whole.
/// Errors: those of open(2) and write(2), and the file is what it was; it has another header.
Result<> append_rows(const std::string& file, std::string_view header, std::string_view rows);

}  // namespace wiremark
