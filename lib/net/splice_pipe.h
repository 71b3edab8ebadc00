// Moves bytes from a socket to a socket inside the kernel.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <cstddef>
#include <memory>

#include "base/fd.h"

namespace wiremark::net {

/// A pipe that is empty between two moves. The pages that the kernel received are those that it
/// sends, so nothing is copied (splice(2)). One thread, on which SIGPIPE is blocked meanwhile: a
/// splice to a socket that is closed cannot be told to leave it out.
class SplicePipe {
 public:
  /// The most bytes of one move, and so the most that may have to be taken out again.
  static constexpr std::size_t kMost = 256 << 10;

  /// Null where there are no descriptors or no memory for it.
  static std::unique_ptr<SplicePipe> open();
  ~SplicePipe();
  SplicePipe(const SplicePipe&) = delete;
  SplicePipe& operator=(const SplicePipe&) = delete;

  /// Takes what the socket has received, up to kMost. As recv(2): 0 at the end, -1 with errno.
  ssize_t fill(int socket) noexcept;
  /// Sends of it what the socket has room for; -1 with errno, also for none.
  ssize_t send(int socket) noexcept;
  /// Takes up to `size` bytes out again.
  std::size_t take_out(std::byte* into, std::size_t size) noexcept;
  /// Bytes in it.
  std::size_t size() const noexcept { return size_; }

 private:
  SplicePipe(Fd in, Fd out) noexcept;

  Fd in_, out_;
  std::size_t size_ = 0;
  sigset_t masked_before_;
};

}  // namespace wiremark::net
