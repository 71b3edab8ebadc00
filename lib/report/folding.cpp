// Text within the width of a terminal.
#include "report/folding.h"

namespace wiremark::report {

namespace {

// Of the letters and escapes before `end`.
std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  bool escape = false;
  for (const char c : text) {
    if (c == '\033') escape = true;
    const bool continues = (static_cast<unsigned char>(c) & 0xC0) == 0x80;
    if (!escape && !continues) ++columns;
    if (c == 'm') escape = false;
  }
  return columns;
}

// Where the last word begins that must go to the next line; none where the line fits, or is one
// word.
std::size_t break_of(std::string_view line, std::size_t indent) {
  std::size_t last = std::string_view::npos;
  std::size_t at = line.find_first_not_of(' ', indent);
  while ((at = line.find(' ', at)) != std::string_view::npos) {
    if (columns_of(line.substr(0, at)) > kTextColumns && last != std::string_view::npos)
      return last;
    last = at;
    at = line.find_first_not_of(' ', at);
  }
  return columns_of(line) > kTextColumns ? last : std::string_view::npos;
}

}  // namespace

std::string folded(std::string_view text, std::size_t indent) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string line(text.substr(0, end));
    for (std::size_t at = 0; (at = break_of(line, indent)) != std::string::npos;) {
      result.append(line, 0, at) += '\n';
      line = std::string(indent, ' ') + line.substr(line.find_first_not_of(' ', at));
    }
    result += line;
    if (end == std::string_view::npos) break;
    result += '\n';
    text.remove_prefix(end + 1);
  }
  return result;
}

}  // namespace wiremark::report
