// When a server has done its part about connections that were opened or closed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/units.h"

namespace wiremark::tools {

/// What shows of a server at a moment.
struct ServerSeen {
  Nanoseconds at = 0;
  std::size_t left = 0;   ///< Connections that it has yet to accept or close, as far as shows.
  bool runs = false;      ///< A thread of it runs, or waits for a processor.
  bool stopped = false;   ///< A process of it was stopped, and cannot run.
  Nanoseconds spent = 0;  ///< Its processor time, from some moment on.
};

/// Follows a server until it rests and has nothing left, or it shows that it will not come to that.
/// That one counts in its own processor time, of which a server gets less while others have the
/// processors, and in the time in which it rests though something is left. One that was stopped
/// does not rest.
class RestWatch {
 public:
  enum class State : std::uint8_t {
    works,
    rests,
    runs_on,  ///< Nothing is left and it goes on all the same: it spins, or serves others.
    behind    ///< It does not accept or close connections that wait for that.
  };

  /// To be called again and again, in the order of time, until it is not `works`.
  State see(const ServerSeen& seen);

 private:
  std::optional<ServerSeen> first_;
  ServerSeen before_, progress_;  // The last look; that at which less was left than ever before.
  Nanoseconds rested_ = 0;        // In all since then, with something left.
};

/// Why nobody knows what a server had to do that ended in this state; empty where it rested.
std::string_view why_unknown(RestWatch::State state);

}  // namespace wiremark::tools
