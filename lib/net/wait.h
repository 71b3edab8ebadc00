// How a reactor waits for the next event: asleep, spinning, spinning while it pays, or in batches.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace wiremark::net {

/// Waking a thread on another processor takes 3 to 20 us, a system call 0.2 us. Spinning saves the
/// wake-up and costs a processor. A batch shares one wake-up among many messages and delays each of
/// them.
struct WaitPolicy {
  enum class Mode { block, spin, adaptive, batch };

  /// batch: this many events end the wait at once, since more would hardly make each of them
  /// cheaper.
  static constexpr unsigned kBatch = 64;
  static constexpr Nanoseconds kSpin = 50 * kMicrosecond;
  static constexpr Nanoseconds kGather = kMillisecond;
  /// The longest batch: a stop that is asked for may come through this much later.
  static constexpr Nanoseconds kGatherMax = 100 * kMillisecond;

  Mode mode = Mode::block;
  /// adaptive: the longest spin without an event. batch: how long events may wait for others.
  Nanoseconds time_ns = 0;

  /// "block", "spin", "adaptive[:TIME]" or "batch[:TIME]" with a time such as 50us.
  static Result<WaitPolicy> parse(std::string_view text);
  std::string to_string() const;
  /// batch: how much it may add to each latency, in words for a result; empty otherwise.
  std::string batch_note() const;
};

/// Decides for one loop how each wait goes.
class Waiter {
 public:
  explicit Waiter(WaitPolicy policy) noexcept : policy_(policy) {}

  /// Whether every wait sleeps until its deadline: then the next three need not be asked.
  bool blocks() const noexcept { return policy_.mode == WaitPolicy::Mode::block; }

  /// Until when the wait may sleep; `now` or before means: look once, without sleeping.
  Nanoseconds sleep_until(Nanoseconds now, Nanoseconds deadline) noexcept {
    if (policy_.mode == WaitPolicy::Mode::spin) return 0;
    if (!spinning_) return deadline;
    if (now < last_event_ + policy_.time_ns) return 0;
    if (++vain_spins_ == kVainSpins) spun_in_vain();
    return deadline;
  }

  /// batch: until when the wait lets events gather; `now` or before: not at all. After a turn
  /// without events the wait ends with the first one, since probably no others follow it.
  Nanoseconds gather_until(Nanoseconds now, Nanoseconds deadline) const noexcept {
    if (policy_.mode != WaitPolicy::Mode::batch || events_last_ == 0) return now;
    return std::min(deadline, now + policy_.time_ns);
  }
  /// Whether the last turn had a full batch, so that the next one is probably there already.
  bool had_batch() const noexcept { return events_last_ >= WaitPolicy::kBatch; }

  /// Tells how much happened in the turn that ends now.
  void saw_events(Nanoseconds now, unsigned count) noexcept {
    events_last_ = count;
    if (count == 0 || policy_.mode != WaitPolicy::Mode::adaptive) return;
    last_event_ = now;
    if (window_start_ == 0)
      window_start_ = now;
    else
      events_ += count;
    if (events_ >= kWindowEvents && now - window_start_ >= kWindow) end_window(now);
  }

 private:
  // Paces are compared over windows of at least this many events and this much time: long enough to
  // tell a change from the bursts of a paced load, short enough to adapt in a blink.
  static constexpr unsigned kWindowEvents = 64;
  static constexpr Nanoseconds kWindow = kMillisecond;
  // Windows between two trials of the other way. Twice as many after each trial that changed
  // nothing, so that in the end trials take 1/256 of the time.
  static constexpr unsigned kPatienceMin = 2;
  static constexpr unsigned kPatienceMax = 256;
  // This many spins without an event in one window show that the stream of events has ended.
  static constexpr unsigned kVainSpins = 4;

  void end_window(Nanoseconds now) noexcept;
  void spun_in_vain() noexcept;
  void choose(bool spinning, unsigned patience) noexcept;

  WaitPolicy policy_;
  unsigned events_last_ = 0;

  // adaptive.
  bool spinning_ = false;
  bool trial_ = false;            // This window tries the way that is not chosen.
  Nanoseconds pace_[2] = {0, 0};  // Time per event while sleeping, and while spinning.
  unsigned patience_ = kPatienceMin;
  unsigned windows_left_ = 1;  // Until the next trial.
  unsigned vain_spins_ = 0;
  std::uint64_t events_ = 0;      // In this window.
  Nanoseconds window_start_ = 0;  // 0 until its first event.
  Nanoseconds last_event_ = 0;
};

}  // namespace wiremark::net
