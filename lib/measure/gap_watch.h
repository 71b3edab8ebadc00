// How long a loop did not listen to its sockets, and for how long of that its thread did not run.
#pragma once

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/clock.h"
#include "base/counter.h"

namespace wiremark::measure {

/// What one loop counts. May lie in memory that another process reads. Whoever reads it says from
/// when and until when gaps count; of one that goes across, the part that lies within.
struct alignas(64) LoopGaps {
  std::atomic<Nanoseconds> from_ns{0};
  std::atomic<Nanoseconds> until_ns{0};    ///< 0: without an end.
  std::atomic<Nanoseconds> gap_max_ns{0};  ///< A reader may set it to 0, and begins anew with that.
  Counter held_up_ns;                      ///< All gaps of kHeldUp or more.
  Counter away_ns;                         ///< Of those: not on a processor.
};

/// Is told by a loop's thread at the end of each turn. A turn that works for long is the loop's own
/// work while its thread runs; what is left is the machine's, or whoever stopped the process.
class GapWatch {
 public:
  /// As long as that of net::Attention; and a processor's clock is read about as often.
  static constexpr Nanoseconds kHeldUp = kMillisecond;

  /// Counts in `gaps` from now on, which must outlive this.
  void count_in(LoopGaps& gaps) noexcept { gaps_ = &gaps; }

  /// The turn that ends `now` was woken at `woke`, after the loop had not listened for `gap` from
  /// `began` on. ran() tells the processor time of its thread; it takes a system call.
  template <class Ran>
  void turn(Nanoseconds now, Nanoseconds woke, Nanoseconds began, Nanoseconds gap, Ran&& ran) {
    if (gaps_) [[unlikely]]
      watch(now, woke, began, gap, ran);
  }

 private:
  struct Reading {
    Nanoseconds at = 0;
    Nanoseconds ran = 0;
  };

  // Kept out of the turns of a loop that nobody watches.
  template <class Ran>
  [[gnu::noinline]] void watch(Nanoseconds now, Nanoseconds woke, Nanoseconds began,
                               Nanoseconds gap, Ran& ran) {
    const Nanoseconds counted = counted_of(began, gap);
    if (counted > gaps_->gap_max_ns.load(std::memory_order_relaxed))
      gaps_->gap_max_ns.store(counted, std::memory_order_relaxed);
    if (gap < kHeldUp && now - last_.at < kHeldUp) return;
    const Reading current{now, ran()};
    if (gap >= kHeldUp) {
      // A turn that worked for long was read at its end, a sleep before it began.
      const bool worked = last_.at > woke - gap;
      const Nanoseconds on = worked ? last_.ran - before_.ran : current.ran - last_.ran;
      const Nanoseconds away = gap - std::min(gap, on);
      const double share = static_cast<double>(counted) / static_cast<double>(gap);
      gaps_->held_up_ns.add(counted);
      gaps_->away_ns.add(static_cast<Nanoseconds>(share * static_cast<double>(away)));
    }
    before_ = std::exchange(last_, current);
  }

  // How much of a gap its reader wants.
  Nanoseconds counted_of(Nanoseconds began, Nanoseconds gap) const {
    const Nanoseconds until = gaps_->until_ns.load(std::memory_order_relaxed);
    const Nanoseconds from = std::max(began, gaps_->from_ns.load(std::memory_order_relaxed));
    const Nanoseconds to = until == 0 ? began + gap : std::min(began + gap, until);
    return to > from ? to - from : 0;
  }

  LoopGaps* gaps_ = nullptr;
  Reading last_;
  Reading before_;
};

}  // namespace wiremark::measure
