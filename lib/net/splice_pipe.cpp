// Moves bytes from a socket to a socket inside the kernel.
#include "net/splice_pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace wiremark::net {

namespace {

// A page or a part of one fills one of its places, however few bytes it holds: 256 of them, the
// most without privilege (pipe(7)).
constexpr int kPlaces = 1 << 20;
constexpr unsigned kHow = SPLICE_F_MOVE | SPLICE_F_NONBLOCK;

sigset_t sigpipe() noexcept {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGPIPE);
  return set;
}

}  // namespace

std::unique_ptr<SplicePipe> SplicePipe::open() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return nullptr;
  ::fcntl(ends[1], F_SETPIPE_SZ, kPlaces);  // Refused over the limit of a user: it has 16 then.
  return std::unique_ptr<SplicePipe>(new SplicePipe(Fd(ends[1]), Fd(ends[0])));
}

SplicePipe::SplicePipe(Fd in, Fd out) noexcept : in_(std::move(in)), out_(std::move(out)) {
  const sigset_t set = sigpipe();
  ::pthread_sigmask(SIG_BLOCK, &set, &masked_before_);
}

SplicePipe::~SplicePipe() {
  const sigset_t set = sigpipe();
  constexpr timespec kNow{};
  if (!::sigismember(&masked_before_, SIGPIPE)) ::sigtimedwait(&set, nullptr, &kNow);
  ::pthread_sigmask(SIG_SETMASK, &masked_before_, nullptr);
}

ssize_t SplicePipe::fill(int socket) noexcept {
  const ssize_t count = ::splice(socket, nullptr, in_.get(), nullptr, kMost, kHow);
  if (count > 0) size_ += static_cast<std::size_t>(count);
  return count;
}

ssize_t SplicePipe::send(int socket) noexcept {
  const ssize_t count = ::splice(out_.get(), nullptr, socket, nullptr, size_, kHow);
  if (count > 0) size_ -= static_cast<std::size_t>(count);
  return count;
}

std::size_t SplicePipe::take_out(std::byte* into, std::size_t size) noexcept {
  const ssize_t count = ::read(out_.get(), into, size);
  if (count <= 0) return 0;
  size_ -= static_cast<std::size_t>(count);
  return static_cast<std::size_t>(count);
}

}  // namespace wiremark::net
