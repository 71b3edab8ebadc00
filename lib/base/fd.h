// A file descriptor that closes itself.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <utility>

namespace wiremark {

/// What to do about an errno that means too many open files, in parentheses; empty for any other.
inline std::string fix_of_files(int error) {
  if (error == EMFILE) return "(raise 'ulimit -n')";
  if (error == ENFILE) return "(raise 'sysctl fs.file-max')";
  return {};
}

/// The descriptors that netecho and netload take beside those of connections: 16 for standard
/// streams and the files of results, and 4 for each loop, such as its ring or epoll instance.
constexpr std::size_t own_descriptors(std::size_t threads) noexcept { return 16 + 4 * threads; }

class Fd {
 public:
  Fd() noexcept = default;
  explicit Fd(int fd) noexcept : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }

  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }

  /// Hands the descriptor over; the caller closes it.
  int release() noexcept { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

}  // namespace wiremark
