// When a server has done its part about connections that were opened or closed.
#include "netload/rest_watch.h"

namespace wiremark::tools {

namespace {

// Processor time of a server: that of one that spins, and of one that has connections to handle.
constexpr Nanoseconds kRunsOn = 300 * kMillisecond, kWorksInVain = kSecond;
// And time: of one that does nothing about them, and of one that gets hardly any processor time.
constexpr Nanoseconds kStandsStill = kSecond, kWaitMost = 10 * kSecond;

}  // namespace

RestWatch::State RestWatch::see(const ServerSeen& seen) {
  if (seen.caught_up && !seen.runs) return State::rests;
  if (!first_) first_ = seen;
  if (!caught_up_ && seen.caught_up) caught_up_ = seen;
  if (!last_run_ || seen.runs) last_run_ = seen;
  const bool too_long = seen.at - first_->at >= kWaitMost;
  if (caught_up_) {
    const bool runs_on = too_long || seen.spent - caught_up_->spent >= kRunsOn;
    return runs_on ? State::runs_on : State::works;
  }
  const bool in_vain = seen.spent - first_->spent >= kWorksInVain;
  const bool stands_still = seen.at - last_run_->at >= kStandsStill;
  return too_long || in_vain || stands_still ? State::behind : State::works;
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
