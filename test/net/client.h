// A client of plain system calls, which shares no code with the reactors it tests.
#pragma once

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "net/address.h"
#include "noise.h"

namespace wiremark::net {

/// Repeats a call that was interrupted. The kernel does not restart a wait with a time limit
/// (signal(7)), and the last work of a ring that was closed on this thread interrupts it.
template <class Call>
auto uninterrupted(Call call) {
  for (;;) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

/// A blocking socket; every wait ends after 20 s, so that a failing test does not hang.
class Client {
 public:
  /// `buffer` sets SO_SNDBUF and SO_RCVBUF before the connect; 0 leaves the kernel's choice.
  explicit Client(const Address& to, int buffer = 0)
      : fd_(::socket(to.family(), SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const timeval patience{.tv_sec = 20, .tv_usec = 0};
    ::setsockopt(fd(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (buffer > 0) {
      ::setsockopt(fd(), SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
      ::setsockopt(fd(), SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
    }
    REQUIRE(::connect(fd(), to.data(), to.size()) == 0);
    // After the connect, which could not be repeated with a time limit.
    ::setsockopt(fd(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  }

  int fd() const { return fd_.get(); }

  bool send(std::string_view text) {
    while (!text.empty()) {
      const ssize_t count =
          uninterrupted([&] { return ::send(fd(), text.data(), text.size(), MSG_NOSIGNAL); });
      if (count <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }

  /// Sends what fits now.
  std::size_t send_some(std::string_view text) {
    const ssize_t count = ::send(fd(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return count > 0 ? static_cast<std::size_t>(count) : 0;
  }

  /// `size` bytes, or fewer if the stream ends before.
  std::string receive(std::size_t size) {
    std::string text(size, '\0');
    std::size_t got = 0;
    while (got < size) {
      const ssize_t count =
          uninterrupted([&] { return ::recv(fd(), text.data() + got, size - got, 0); });
      if (count <= 0) break;
      got += static_cast<std::size_t>(count);
    }
    text.resize(got);
    return text;
  }

  /// Whether the peer has closed in order and nothing is left to read.
  bool at_end() {
    char byte;
    return uninterrupted([&] { return ::recv(fd(), &byte, 1, 0); }) == 0;
  }

  /// Sends all of `text` while it reads as much, in pieces of up to `piece` bytes.
  std::string exchange(std::string_view text, std::size_t piece = 1 << 20) {
    std::string back(text.size(), '\0');
    std::size_t sent = 0, got = 0;
    while (got < back.size()) {
      pollfd ready{fd(), static_cast<short>(sent < text.size() ? POLLIN | POLLOUT : POLLIN), 0};
      if (uninterrupted([&] { return ::poll(&ready, 1, 20'000); }) <= 0) break;
      if (ready.revents & POLLOUT) sent += send_some(text.substr(sent, piece));
      if (!(ready.revents & (POLLIN | POLLHUP | POLLERR))) continue;
      const ssize_t count =
          ::recv(fd(), back.data() + got, std::min(piece, back.size() - got), MSG_DONTWAIT);
      if (count == 0 || (count < 0 && errno != EAGAIN)) break;
      if (count > 0) got += static_cast<std::size_t>(count);
    }
    back.resize(got);
    return back;
  }

  void half_close() { ::shutdown(fd(), SHUT_WR); }

  /// Closes with RST.
  void reset() {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(fd(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close();
  }
  void close() { ::close(fd_.release()); }

 private:
  Fd fd_;
};

}  // namespace wiremark::net
