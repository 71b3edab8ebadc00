// What a terminal is shown and a file is not: colours and progress.
#include "terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

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
void draw_progress(const std::string& line) {
  fmt::print(stderr, "\r{}\033[K", line);
  std::fflush(stderr);
}

void wipe_progress() { fmt::print(stderr, "\r\033[K"); }

}  // namespace wiremark::tools
