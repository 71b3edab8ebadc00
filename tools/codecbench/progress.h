// The line on standard error that tells how far a run is.
#pragma once

#include "base/clock.h"
#include "bench/bench.h"
#include "codecbench/bench_options.h"

namespace wiremark::tools {

/// Redraws one line at most ten times a second: when asked to, or when standard error is a terminal
/// and nobody asked for quiet.
class Progress {
 public:
  explicit Progress(const Options& options);

  void show(const Standing& at);

  /// Wipes the line, before anything else is printed.
  void clear();

 private:
  bool active_;
  Nanoseconds next_ = 0;
};

}  // namespace wiremark::tools
