// Whether a few datagrams that wait for the same peer leave together or one by one.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace wiremark::net {

/// Together they cost less. But where all that is in flight travels as one, one end waits while the
/// other works, and each is woken for every round: ends that have a processor each can be faster
/// with one by one, which keeps both awake. No formula says which, so one by one is tried for a
/// window now and then, and stays while datagrams come sooner by it. For one loop.
class GatherChoice {
 public:
  /// So many gain by leaving together wherever the ends run: twice that, one send of 64, costs 0.3
  /// of one by one between two processors.
  static constexpr unsigned kAlways = 32;
  /// Paces are compared over windows of at least this much time and this many datagrams.
  static constexpr Nanoseconds kWindow = 4 * kMillisecond;
  static constexpr std::uint64_t kWindowDatagrams = 256;
  /// Windows between two trials of the other way, doubled by each that changed nothing, so that in
  /// the end trials take 1/256 of the time.
  static constexpr unsigned kPatienceMin = 2;
  static constexpr unsigned kPatienceMax = 256;

  /// Whether that many, which could leave together, do.
  bool together(unsigned datagrams) noexcept {
    if (datagrams >= kAlways) return true;
    asked_ |= datagrams > 1;
    return together_;
  }

  /// Call it in each turn, with how many datagrams have come since the beginning.
  void turn(Nanoseconds now, std::uint64_t came) noexcept {
    if (asked_ && now >= due_) [[unlikely]]
      look(now, came);
  }

 private:
  void look(Nanoseconds now, std::uint64_t came) noexcept;

  bool asked_ = false;  // Nobody ever asks where one datagram is in flight.
  bool together_ = true;
  bool trial_ = false;  // This window tries the way that is not chosen.
  unsigned patience_ = kPatienceMin;
  unsigned windows_left_ = kPatienceMin;  // Until the next trial.
  Nanoseconds due_ = 0;                   // The window ends then, if it has its datagrams.
  Nanoseconds began_ = 0;                 // 0: there is none yet.
  std::uint64_t came_before_ = 0;
  Nanoseconds pace_[2] = {0, 0};  // Time for 1,024 datagrams one by one, and together.
};

}  // namespace wiremark::net
