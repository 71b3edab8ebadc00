// How a reactor waits for the next event: asleep, spinning, spinning while it pays, or in batches.
#include "net/wait.h"

#include <utility>

#include "base/units.h"

namespace wiremark::net {

namespace {

struct TimedMode {
  WaitPolicy::Mode mode;
  std::string_view name;
  Nanoseconds time_ns;  // The default.
  Nanoseconds max_ns;
};

constexpr TimedMode kTimed[] = {
    {WaitPolicy::Mode::adaptive, "adaptive", WaitPolicy::kSpin, kSecond},
    {WaitPolicy::Mode::batch, "batch", WaitPolicy::kGather, WaitPolicy::kGatherMax},
};

}  // namespace

Result<WaitPolicy> WaitPolicy::parse(std::string_view text) {
  if (text == "block") return WaitPolicy{.mode = Mode::block};
  if (text == "spin") return WaitPolicy{.mode = Mode::spin};
  for (const TimedMode& timed : kTimed) {
    if (text == timed.name) return WaitPolicy{.mode = timed.mode, .time_ns = timed.time_ns};
    if (!text.starts_with(timed.name) || !text.substr(timed.name.size()).starts_with(':')) continue;
    const auto time = parse_duration(text.substr(timed.name.size() + 1));
    if (!time) return std::unexpected(time.error());
    if (*time == 0 || *time > timed.max_ns)
      return failed(
          "'" + std::string(text) + "' is not from 1ns to " + format_duration(timed.max_ns), {}, 0);
    return WaitPolicy{.mode = timed.mode, .time_ns = *time};
  }
  return failed("'" + std::string(text) +
                    "' is not block, spin, adaptive, adaptive:TIME, batch or batch:TIME",
                {}, 0);
}

std::string WaitPolicy::to_string() const {
  if (mode == Mode::block) return "block";
  if (mode == Mode::spin) return "spin";
  const TimedMode& timed = kTimed[mode == Mode::batch];
  return std::string(timed.name) + ":" + format_duration(time_ns);
}

std::string WaitPolicy::batch_note() const {
  if (mode != Mode::batch) return {};
  return "a message waits up to " + format_duration(time_ns) + " for others, or until " +
         std::to_string(kBatch) + " are there";
}

// Spinning pays when events come sooner because of it, as they do when each waits for the answer to
// the one before. Events that follow a clock, or come from so many peers that the loop hardly ever
// sleeps, come at the same pace either way: then spinning only burns a processor. So now and then
// the other way is tried for a window, and the two paces are compared. The trial also finds out
// what no formula says: what a wake costs here, and whether the peer shares this processor.
void Waiter::end_window(Nanoseconds now) noexcept {
  const Nanoseconds pace = (now - std::exchange(window_start_, now)) / std::exchange(events_, 0);
  vain_spins_ = 0;
  pace_[spinning_] = pace;
  if (trial_) {
    const bool pays = pace_[true] + pace_[true] / 4 <= pace_[false];
    return choose(pays, pays != spinning_ ? std::min(2 * patience_, kPatienceMax) : kPatienceMin);
  }
  // Events are much rarer than the longest spin, so a trial could not succeed now.
  if (!spinning_ && pace > 4 * policy_.time_ns) return choose(false, kPatienceMin);
  if (--windows_left_ > 0) return;
  trial_ = true;
  spinning_ = !spinning_;
}

// During a trial this means that spinning does not pay; after one, that the events for which it
// paid have ended.
void Waiter::spun_in_vain() noexcept {
  choose(false, trial_ ? std::min(2 * patience_, kPatienceMax) : kPatienceMin);
  events_ = window_start_ = 0;
}

void Waiter::choose(bool spinning, unsigned patience) noexcept {
  spinning_ = spinning;
  trial_ = false;
  patience_ = windows_left_ = patience;
  vain_spins_ = 0;
}

}  // namespace wiremark::net
