// Signals of a run: INT, TERM and HUP ask for the stop, a second INT or TERM ends at once.
#pragma once

#include "base/clock.h"
#include "net/stop.h"

namespace wiremark::tools {

/// Installs the handlers, which stay. A tool has one, made by the control thread after the stop and
/// destroyed before it, once the result is written: then there is nothing left to stop, and a
/// second INT or TERM still ends the process at once, by _exit(2) with kInterrupted. USR1 asks for
/// a snapshot; PIPE is ignored, so that a closed socket or pipe is an error of write(2). HUP stays
/// ignored where it was at the start, as nohup(1) wants it.
class Signals {
 public:
  explicit Signals(net::Stop& stop);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

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
