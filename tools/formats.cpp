// The formats of messages as users name them.
#include "formats.h"

#include <algorithm>

#include "base/units.h"

namespace wiremark::tools {

Result<std::string> parse_format(const std::string& text, const std::vector<std::string>& names) {
  if (std::ranges::find(names, text) != names.end()) return text;
  return failed("'" + text + "' is not " + in_words(names), {}, 0);
}

Result<std::size_t> parse_max_frame(const std::string& text) {
  const auto size = parse_size(text);
  if (!size) return std::unexpected(size.error());
  if (*size < 64 || *size > 16 << 20)
    return failed("'" + text + "' is not a size from 64 to 16M", {}, 0);
  return static_cast<std::size_t>(*size);
}

std::string in_words(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace wiremark::tools
