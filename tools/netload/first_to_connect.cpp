// Which of several addresses takes a connection.
#include "netload/first_to_connect.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "net/socket.h"

namespace wiremark::tools {

namespace {

// The "Connection Attempt Delay" of RFC 8305, 5.
constexpr Nanoseconds kHeadStart = 250 * kMillisecond;

/// A try to connect to one of several addresses.
struct Attempt {
  Fd socket;
  int error = 0;  // 0 where it is open.

  bool undecided() const noexcept { return error == EINPROGRESS; }
};

Attempt attempt_at(const net::Address& to, const net::Address* from) {
  net::ConnectOptions how;
  how.from = from;
  auto socket = net::socket_for(to, how);
  if (!socket) return {.socket = {}, .error = socket.error().code};
  Attempt attempt{std::move(*socket)};
  if (::connect(attempt.socket.get(), to.data(), to.size()) != 0) attempt.error = errno;
  return attempt;
}

int error_of(const Fd& socket) {
  int error = 0;
  socklen_t size = sizeof error;
  return ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

/// Sleeps until an attempt is decided, until a moment, or until all is to end.
Result<> await(std::vector<Attempt>& attempts, Nanoseconds until, const net::Stop& stop) {
  std::vector<pollfd> awaited{{.fd = stop.fd(), .events = POLLIN, .revents = 0}};
  for (const Attempt& one : attempts) {
    const int fd = one.undecided() ? one.socket.get() : -1;  // poll(2) skips -1.
    awaited.push_back({.fd = fd, .events = POLLOUT, .revents = 0});
  }
  const Nanoseconds now = now_ns();
  const timespec left = to_timespec(until > now ? until - now : 0);
  if (::ppoll(awaited.data(), awaited.size(), until == kNever ? nullptr : &left, nullptr) < 0) {
    if (errno == EINTR) return {};
    return failed("ppoll");
  }
  for (std::size_t i = 0; i < attempts.size(); ++i)
    if (awaited[i + 1].revents != 0) attempts[i].error = error_of(attempts[i].socket);
  return {};
}

// What became of each attempt, in the order of the addresses.
std::string what_became_of(std::span<const net::Address> addresses,
                           const std::vector<Attempt>& attempts) {
  std::string each;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const int error = attempts[i].undecided() ? ETIMEDOUT : attempts[i].error;
    each += (i > 0 ? ", " : "") + addresses[i].to_string() + ": " + std::strerror(error);
  }
  return each;
}

}  // namespace

Result<net::Address> first_to_connect(std::span<const net::Address> addresses,
                                      const net::Address* from, Nanoseconds patience,
                                      const net::Stop& stop) {
  std::vector<Attempt> attempts;
  Nanoseconds next = 0;  // When another is begun, unless all before it have failed, or we give up.
  Nanoseconds sleeps_until = 0;  // Past where there is more to do than to wait.
  while (!stop.requested()) {
    if (auto slept = await(attempts, sleeps_until, stop); !slept)
      return std::unexpected(slept.error());
    const auto open = std::ranges::find(attempts, 0, &Attempt::error);
    if (open != attempts.end()) return addresses[static_cast<std::size_t>(open - attempts.begin())];
    const bool waits = std::ranges::any_of(attempts, &Attempt::undecided);
    const bool more = attempts.size() < addresses.size();
    const Nanoseconds now = now_ns();
    sleeps_until = next;
    if (waits && now < next && (!more || attempts.back().undecided())) continue;
    if (!more) return failed("no connection opened: " + what_became_of(addresses, attempts), {}, 0);
    attempts.push_back(attempt_at(addresses[attempts.size()], from));
    const bool was_last = attempts.size() == addresses.size();
    next = !was_last ? now + kHeadStart : patience == kNever ? kNever : now + patience;
    sleeps_until = 0;
  }
  return addresses.front();
}

}  // namespace wiremark::tools
