// Colours and progress, for a terminal but not for a file.
#include "terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "printing.h"

namespace wiremark::tools {

namespace {

// A terminal that knows escapes: TERM=dumb is the shell of an editor, or a log.
bool is_terminal(int descriptor) {
  const char* term = std::getenv("TERM");
  return ::isatty(descriptor) == 1 && (term == nullptr || std::string_view(term) != "dumb");
}

std::size_t columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

bool wants_colour(const std::string& when) {
  if (when != "auto") return when == "always";
  const char* no_colour = std::getenv("NO_COLOR");
  return is_terminal(STDOUT_FILENO) && (no_colour == nullptr || *no_colour == '\0');
}

report::Letters letters_of_terminal() {
  if (!is_terminal(STDOUT_FILENO)) return report::Letters::none;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* locale = std::getenv(name);
    if (locale == nullptr || *locale == '\0') continue;
    const bool utf8 = ::strcasestr(locale, "utf-8") || ::strcasestr(locale, "utf8");
    return utf8 ? report::Letters::blocks : report::Letters::ascii;
  }
  return report::Letters::ascii;
}

bool wants_progress(const std::string& when, bool quiet) {
  return when == "on" || (when == "auto" && !quiet && is_terminal(STDERR_FILENO));
}

// CSI K clears what a longer line left behind. A line that fills the last column might wrap.
void draw_progress(const std::string& line) {
  if (is_terminal(STDERR_FILENO)) return print_err("\r{}\033[K", line.substr(0, columns() - 1));
  print_err("{}\n", line);
}

void wipe_progress() {
  if (is_terminal(STDERR_FILENO)) write_err("\r\033[K");
}

}  // namespace wiremark::tools
