// The turns of an io_uring reactor, and the memory of what each of them submits.
#pragma once

#include <cstdint>

#include "base/arena.h"

namespace wiremark::net {

/// A turn passes with an enter that took the whole submission queue. What is queued in one may be
/// read by the kernel until the next has passed, so two memories are in use by turns.
class UringTurn {
 public:
  std::uint32_t number() const noexcept { return number_; }
  std::uint32_t parity() const noexcept { return number_ & 1; }
  /// Of the turn that has just been submitted.
  std::uint32_t submitted_parity() const noexcept { return (number_ - 1) & 1; }

  /// For what is queued now: it stays as it is until the kernel has taken it.
  Arena& memory() noexcept { return memory_[parity()]; }

  void pass() noexcept { ++number_; }
  /// The kernel has taken what was submitted last.
  void end() noexcept { memory_[submitted_parity()].clear(); }

 private:
  std::uint32_t number_ = 1;
  Arena memory_[2];
};

}  // namespace wiremark::net
