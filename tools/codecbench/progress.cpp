// The line on standard error that tells how far a run is.
#include "codecbench/progress.h"

#include <fmt/format.h>

#include "terminal.h"

namespace wiremark::tools {

Progress::Progress(const Options& options)
    : active_(wants_progress(options.output.progress, options.output.quiet)) {}

void Progress::show(const Standing& at) {
  if (!active_ || now_ns() < next_) return;
  next_ = now_ns() + 100 * kMillisecond;
  draw_progress(fmt::format("{:3} %  {}", 100 * at.done / at.total, at.name->key()));
}

void Progress::clear() {
  if (active_) wipe_progress();
}

}  // namespace wiremark::tools
