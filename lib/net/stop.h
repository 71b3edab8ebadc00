// The request to end every loop, which a signal handler may make.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "base/fd.h"

namespace wiremark::net {

/// Shared by all threads. request() is safe in a signal handler (signal-safety(7): write).
class Stop {
 public:
  void request() noexcept {
    requested_.store(true, std::memory_order_release);
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(event_.get(), &one, sizeof one);
  }
  bool requested() const noexcept { return requested_.load(std::memory_order_acquire); }

  /// Becomes readable with the request and stays so: a reactor asleep in the kernel watches it.
  int fd() const noexcept { return event_.get(); }

 private:
  static_assert(std::atomic<bool>::is_always_lock_free);
  std::atomic<bool> requested_{false};
  Fd event_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
};

}  // namespace wiremark::net
