// The turns of an io_uring reactor, and the memory of what each of them submits.
#pragma once

#include <cstdint>

#include "base/arena.h"

namespace wiremark::net {

/// A turn passes with an enter that took the whole submission queue. The kernel may read what was
/// queued in a turn until the next turn has passed, so two memories are used alternately.
class UringTurn {
 public:
  std::uint32_t number() const noexcept { return number_; }
  std::uint32_t parity() const noexcept { return number_ & 1; }
  /// The parity of the turn that has just been submitted.
  std::uint32_t submitted_parity() const noexcept { return (number_ - 1) & 1; }

  /// Memory for what is queued now; it stays until the kernel has taken that.
  Arena& memory() noexcept { return memory_[parity()]; }

  void pass() noexcept { ++number_; }
  /// The kernel has taken what was submitted last: its memory is free.
  void end() noexcept { memory_[submitted_parity()].clear(); }

 private:
  std::uint32_t number_ = 1;
  Arena memory_[2];
};

}  // namespace wiremark::net
