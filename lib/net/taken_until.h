// Works out up to when a reactor has delivered everything that had arrived.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.h"

namespace wiremark::net {

/// Is told of each turn what it took from the kernel. A turn that took all there was has delivered
/// everything that had arrived before it asked. Under constant load no turn does, so turns are
/// added up to a pass: enough of them that every socket that was ready when the pass began has been
/// served completely, since the kernel hands out the ready ones in turn. One thread.
class TakenUntil {
 public:
  /// The largest receive buffer of a socket that is allowed for (tcp(7): tcp_rmem, whose default
  /// maximum is 6 MiB, and 32 MiB from Linux 6.17).
  static constexpr std::size_t kReceiveBufferMax = 64 << 20;

  /// `share`: the most bytes that a turn takes from one socket.
  explicit TakenUntil(std::size_t share) noexcept
      : rounds_max_((kReceiveBufferMax + share - 1) / share) {}

  Nanoseconds get() const noexcept { return until_; }

  struct Turn {
    Nanoseconds began;     ///< As in took_all().
    bool share_used;       ///< A socket may hold more than one share.
    std::uint64_t served;  ///< How many sockets it served.
  };

  /// A turn left nothing in the kernel, nor in a socket that was read. `began` is a moment before
  /// it asked.
  void took_all(Nanoseconds began) noexcept {
    until_ = began;
    pass_began_ = 0;
  }

  /// A turn may have left something; `sources` is the number of sockets.
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
  std::uint64_t rounds_max_;  // Shares that empty a full receive buffer.
  Nanoseconds until_ = 0;
  Nanoseconds pass_began_ = 0;  // 0: no pass is under way.
  std::uint64_t served_ = 0;
  std::uint64_t rounds_ = 1;  // How often this pass must serve each socket.
};

}  // namespace wiremark::net
