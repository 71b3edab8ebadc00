// What a terminal is shown and a file is not: colours and progress.
#include "terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "printing.h"

namespace wiremark::tools {

bool wants_colour(const std::string& when) {
  if (when != "auto") return when == "always";
  const char* no_colour = std::getenv("NO_COLOR");
  return ::isatty(STDOUT_FILENO) == 1 && (no_colour == nullptr || *no_colour == '\0');
}

bool wants_progress(const std::string& when, bool quiet) {
  return when == "on" || (when == "auto" && !quiet && ::isatty(STDERR_FILENO) == 1);
}

// CSI K clears what a longer line left behind.
void draw_progress(const std::string& line) { print_err("\r{}\033[K", line); }

void wipe_progress() { write_err("\r\033[K"); }

}  // namespace wiremark::tools
