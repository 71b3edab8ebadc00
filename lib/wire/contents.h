// The contents that messages carry: the texts of E2, others, or the user's own lines.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace wiremark::wire {

struct Contents {
  std::string source;  ///< "22 texts", or the name of the file.
  std::vector<std::string> texts;
  std::string note;  ///< A warning about what was left out; usually empty.

  double mean_bytes() const noexcept;
};

/// codecbench numbers packets with 16 bits, so of a longer file only every n-th line is used.
inline constexpr std::size_t kContentsMax = 65'536;

/// The 22 texts.
Contents e2_contents();

/// 22 texts in many scripts, of one to four bytes a character.
Contents script_contents();

/// 22 texts of one script: Chinese, and Russian.
Contents chinese_contents();
Contents russian_contents();

/// 22 texts with what JSON has to escape, or what writers of pure ASCII do.
Contents escape_contents();

/// One content per line, whatever bytes it holds; a carriage return stays part of it. Empty lines
/// are empty contents, and a newline at the end starts no further one. Errors: the file cannot be
/// read, is over 256 MiB, or has no line at all.
Result<Contents> read_contents(const std::filesystem::path& file);

}  // namespace wiremark::wire
