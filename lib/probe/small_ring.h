// An io_uring of eight entries made with the system calls alone: netprobe must build in seconds and
// try flags that no release of liburing has a name for.
#pragma once

#include <linux/io_uring.h>

#include <optional>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"

namespace wiremark::probe {

/// A completion: io_uring_cqe without its open end.
struct Completion {
  int res = 0;
  unsigned flags = 0;
};

class SmallRing {
 public:
  /// Errors: those of io_uring_setup(2) and mmap(2).
  static Result<SmallRing> open(unsigned flags);
  SmallRing(SmallRing&& other) noexcept;
  SmallRing& operator=(SmallRing&&) = delete;
  ~SmallRing();

  int fd() const noexcept { return fd_.get(); }
  unsigned features() const noexcept { return params_.features; }

  /// Submits one operation. Errors: those of io_uring_enter(2).
  Result<> submit(const io_uring_sqe& operation);
  /// The next completion; empty where none comes in a second.
  std::optional<Completion> wait();

 private:
  SmallRing() = default;

  Fd fd_;
  io_uring_params params_{};
  char* rings_ = nullptr;
  std::size_t rings_size_ = 0;
  io_uring_sqe* entries_ = nullptr;
};

}  // namespace wiremark::probe
