// The line on standard error that tells how far a run is.
#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

namespace wiremark::codecbench {

Progress::Progress(const Options& options)
    : active_(options.progress == "on" || (options.progress == "auto" && !options.output.quiet &&
                                           ::isatty(STDERR_FILENO) == 1)) {}

void Progress::show(const Standing& at) {
  if (!active_ || now_ns() < next_) return;
  next_ = now_ns() + 100 * kMillisecond;
  // CSI K clears what a longer line left behind.
  fmt::print(stderr, "\r{:3} %  {}\033[K", 100 * at.done / at.total, at.name->key());
  std::fflush(stderr);
}

void Progress::clear() {
  if (active_) fmt::print(stderr, "\r\033[K");
}

bool wants_colour(const Options& options) {
  if (options.colour != "auto") return options.colour == "always";
  const char* no_colour = std::getenv("NO_COLOR");  // no-color.org: any value but the empty one.
  return ::isatty(STDOUT_FILENO) == 1 && (no_colour == nullptr || *no_colour == '\0');
}

}  // namespace wiremark::codecbench
