// Signals of a run: the first INT or TERM asks for the stop, the second ends the process at once.
#pragma once

#include "base/clock.h"
#include "net/stop.h"

namespace wiremark::tools {

/// Installs the handlers for the life of the process: one per tool, made by the control thread.
/// USR1 asks for a snapshot; PIPE is ignored, so that a closed socket or pipe is an error of
/// write(2).
class Signals {
 public:
  explicit Signals(net::Stop& stop);

  /// True when a signal, not the tool itself, asked for the stop.
  bool interrupted() const noexcept;

  /// True once after each USR1.
  bool take_snapshot_request() noexcept;
};

/// Sleeps until `deadline`, either stop or a signal, whichever is first.
void sleep_until(const net::Stop& stop, const net::Stop& other, Nanoseconds deadline);
inline void sleep_until(const net::Stop& stop, Nanoseconds deadline) {
  sleep_until(stop, stop, deadline);
}

}  // namespace wiremark::tools
