// Up to when a reactor has delivered everything that had arrived.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.h"

namespace wiremark::net {

/// Told of each turn what it took from the kernel. A turn that took all there was has delivered
/// what had arrived before it asked. Under a load that never leaves a turn like that, turns are
/// added up to a pass: enough of them that whatever was there when it began has had its share,
/// since the kernel hands out the ready ones in turn. One thread.
class TakenUntil {
 public:
  /// The largest receive buffer of a socket that is reckoned with (tcp(7): tcp_rmem, whose default
  /// is 6 MiB, and 32 MiB from Linux 6.17).
  static constexpr std::size_t kReceiveBufferMax = 64 << 20;

  /// `share`: bytes that a turn takes from one socket at most.
  explicit TakenUntil(std::size_t share) noexcept
      : rounds_max_((kReceiveBufferMax + share - 1) / share) {}

  Nanoseconds get() const noexcept { return until_; }

  struct Turn {
    Nanoseconds began;     ///< As in took_all().
    bool share_used;       ///< A socket may have more than its share of this turn.
    std::uint64_t served;  ///< How many it served.
  };

  /// A turn that left nothing in the kernel, nor in a socket that was read. `began` is a moment
  /// before it asked.
  void took_all(Nanoseconds began) noexcept {
    until_ = began;
    pass_began_ = 0;
  }

  /// A turn that may have left something; `sources` is how many there are to be served.
  void left_some(const Turn& turn, std::uint64_t sources) noexcept {
    if (pass_began_ == 0) {
      pass_began_ = turn.began;
      served_ = 0;
      rounds_ = 1;
    }
    if (turn.share_used) rounds_ = rounds_max_;
    served_ += turn.served;
    if (served_ < sources * rounds_) return;
    until_ = pass_began_;
    pass_began_ = 0;
  }

 private:
  std::uint64_t rounds_max_;  // Until a full receive buffer has been taken by shares.
  Nanoseconds until_ = 0;
  Nanoseconds pass_began_ = 0;  // 0 between passes.
  std::uint64_t served_ = 0;
  std::uint64_t rounds_ = 1;  // That this pass needs.
};

}  // namespace wiremark::net
