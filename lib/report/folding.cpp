// Text within the width of a terminal.
#include "report/folding.h"

#include <algorithm>

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

// Appends `line`, with a break in place of the spaces before each word that would not fit.
void put_folded(std::string& to, std::string_view line, std::size_t indent) {
  std::size_t end = std::min(line.find(' ', line.find_first_not_of(' ', indent)), line.size());
  std::size_t columns = columns_of(line.substr(0, end));
  to += line.substr(0, end);
  std::size_t begin = 0;
  while ((begin = line.find_first_not_of(' ', end)) != std::string_view::npos) {
    const std::size_t spaces = begin - end;
    end = std::min(line.find(' ', begin), line.size());
    const std::string_view word = line.substr(begin, end - begin);
    columns += spaces + columns_of(word);
    if (columns <= kTextColumns) {
      to.append(spaces, ' ');
    } else {
      to.append(1, '\n').append(indent, ' ');
      columns = indent + columns_of(word);
    }
    to += word;
  }
  to += line.substr(end);
}

}  // namespace

std::string folded(std::string_view text, std::size_t indent) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    put_folded(result, text.substr(0, end), indent);
    if (end == std::string_view::npos) break;
    result += '\n';
    text.remove_prefix(end + 1);
  }
  return result;
}

}  // namespace wiremark::report
