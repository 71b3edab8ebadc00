// When a server has done its part about connections that were opened or closed.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/units.h"

namespace wiremark::tools {

/// What shows of a server at a moment.
struct ServerSeen {
  Nanoseconds at = 0;
  bool caught_up = false;  ///< As far as shows, it has accepted or closed all that it had to.
  bool runs = false;       ///< A thread of it runs, or waits for a processor.
  Nanoseconds spent = 0;   ///< Its processor time, from some moment on.
};

/// Follows a server until it rests, or it shows that it will not. That one counts in its own
/// processor time, of which a server gets less while others have the processors.
class RestWatch {
 public:
  enum class State : std::uint8_t {
    works,
    rests,
    runs_on,  ///< It has caught up and goes on all the same: it spins, or serves others.
    behind    ///< It does not accept or close connections that wait for that.
  };

  /// To be called again and again, in the order of time, until it is not `works`.
  State see(const ServerSeen& seen);

 private:
  // Since when, and at which of its processor times.
  std::optional<ServerSeen> first_, caught_up_, last_run_;
};

/// Why nobody knows what a server had to do that ended in this state; empty where it rested.
std::string_view why_unknown(RestWatch::State state);

}  // namespace wiremark::tools
