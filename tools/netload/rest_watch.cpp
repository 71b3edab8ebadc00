// When a server has done its part about connections that were opened or closed.
#include "netload/rest_watch.h"

namespace wiremark::tools {

namespace {

// Processor time of a server that spins, and of one that has connections to handle, since it came
// on with them.
constexpr Nanoseconds kRunsOn = 300 * kMillisecond, kWorksInVain = kSecond;
// And time: that it rests all the same, and of one that gets hardly any processor time or none.
constexpr Nanoseconds kRestsInVain = kSecond, kWaitMost = 10 * kSecond;

}  // namespace

RestWatch::State RestWatch::see(const ServerSeen& seen) {
  if (!first_) first_ = before_ = progress_ = seen;
  if (seen.left < progress_.left) {
    progress_ = seen;
    rested_ = 0;
  } else if (!before_.runs && !seen.runs && !seen.stopped) {
    rested_ += seen.at - before_.at;
  }
  before_ = seen;
  if (seen.left == 0 && !seen.runs) return State::rests;
  const bool too_long = seen.at - first_->at >= kWaitMost;
  const Nanoseconds spent = seen.spent - progress_.spent;
  if (seen.left == 0) return too_long || spent >= kRunsOn ? State::runs_on : State::works;
  const bool in_vain = spent >= kWorksInVain || rested_ >= kRestsInVain;
  return too_long || in_vain ? State::behind : State::works;
}

std::string_view why_unknown(RestWatch::State state) {
  switch (state) {
    case RestWatch::State::runs_on:
      return "it ran on, as one does that spins or has other clients";
    case RestWatch::State::behind:
      return "it did not accept or close all connections";
    default:
      return {};
  }
}

}  // namespace wiremark::tools
