// A request to end every loop, which a signal handler may make. Stable.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "base/fd.h"
#include "base/result.h"

namespace wiremark::net {

/// Shared by all threads. request() is safe in a signal handler (signal-safety(7): write).
class Stop {
 public:
  void request() noexcept {
    requested_.store(true, std::memory_order_release);
    const std::uint64_t one = 1;
    for (int tries = 0; tries < kTries && ::write(event_.get(), &one, sizeof one) < 0; ++tries) {
    }
  }
  bool requested() const noexcept { return requested_.load(std::memory_order_acquire); }

  /// Errors: there is no eventfd(2), so no loop would hear of the request in its sleep.
  Result<> usable() const {
    if (event_) return {};
    const std::string files = fix_of_files(error_);
    return failed("eventfd", files.empty() ? "(does a seccomp filter deny eventfd2?)" : files,
                  error_);
  }

  /// Becomes readable with the request and stays so: a reactor asleep in the kernel watches it.
  int fd() const noexcept { return event_.get(); }

 private:
  // A loop asleep would never hear of a request whose write failed.
  static constexpr int kTries = 3;

  static_assert(std::atomic<bool>::is_always_lock_free);
  std::atomic<bool> requested_{false};
  Fd event_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  int error_ = event_ ? 0 : errno;
};

}  // namespace wiremark::net
