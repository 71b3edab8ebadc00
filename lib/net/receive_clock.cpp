// When the kernel received bytes, in terms of the clock of every other measurement.
#include "net/receive_clock.h"

#include <cstdlib>
#include <cstring>
#include <utility>

namespace wiremark::net {

namespace {

// Reading both clocks takes less than this unless it was interrupted; then the offset is not known.
// An offset that changed by more than twice this means that somebody set the time.
constexpr Nanoseconds kPrecise = 10 * kMicrosecond;

Nanoseconds ns_of(const timespec& time) noexcept {
  return static_cast<Nanoseconds>(time.tv_sec) * kSecond + static_cast<Nanoseconds>(time.tv_nsec);
}

}  // namespace

void ReceiveClock::ask(int fd) noexcept {
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
}

void ReceiveClock::look() noexcept {
  timespec real;
  const Nanoseconds before = now_ns();
  ::clock_gettime(CLOCK_REALTIME, &real);
  look(before, ns_of(real), now_ns());
}

void ReceiveClock::look(Nanoseconds before, Nanoseconds real, Nanoseconds after) noexcept {
  if (after - before > kPrecise) return;
  const auto offset = static_cast<std::int64_t>(real - before);
  const std::int64_t moved = offset - std::exchange(offset_, offset);
  stepped_ = std::abs(moved) > static_cast<std::int64_t>(2 * kPrecise);
}

Nanoseconds ReceiveClock::stamp_of(void* control, std::size_t size) const noexcept {
  msghdr message{};
  message.msg_control = control;
  message.msg_controllen = size;
  for (cmsghdr* one = CMSG_FIRSTHDR(&message); one; one = CMSG_NXTHDR(&message, one)) {
    if (one->cmsg_level != SOL_SOCKET || one->cmsg_type != SCM_TIMESTAMPNS) continue;
    timespec real;
    std::memcpy(&real, CMSG_DATA(one), sizeof real);
    return monotonic(ns_of(real), now_ns());
  }
  return 0;
}

Nanoseconds ReceiveClock::monotonic(Nanoseconds real, Nanoseconds now) const noexcept {
  const Nanoseconds moment = real - static_cast<Nanoseconds>(offset_);
  return stepped_ || moment > now ? 0 : moment;
}

}  // namespace wiremark::net
