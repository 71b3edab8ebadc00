// A launcher that starts several netloads together.
#include "netload/launcher.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/number.h"
#include "base/units.h"

namespace wiremark::tools {

namespace {

// As poll(2) can take it, however far ahead the launcher says.
constexpr double kLongestSleepS = 3600;

// One that has gone does not hear it, and is missed where it has more to say.
bool tell(int fd, std::string_view word) {
  return ::write(fd, word.data(), word.size()) == static_cast<ssize_t>(word.size());
}

/// What a launcher has said so far.
class Launcher {
 public:
  Launcher(int fd, double lead_s) : fd_(fd), lead_s_(lead_s) {}

  Result<> read();
  int fd() const noexcept { return gone_ ? -1 : fd_; }
  /// How long until all must be told to begin; nothing while no moment is known that is ahead.
  std::optional<double> left_s() const {
    if (start_ == 0) return std::nullopt;
    return start_ - clock_of_day() - lead_s_;
  }
  double start() const noexcept { return start_; }

 private:
  Result<> hear(std::string_view line);

  int fd_;
  double lead_s_;
  bool gone_ = false;
  std::string unread_;
  double start_ = 0;
  double late_s_ = 0;  // By how much it is too late for the last one that is not `start_`.
};

Result<> Launcher::read() {
  char part[64];
  const ssize_t got = ::read(fd_, part, sizeof part);
  // A socket of which the other end was closed with our words unread says ECONNRESET.
  if (got < 0 && errno != ECONNRESET)
    return errno == EINTR ? Result<>() : failed("read", "when to start (--start-fd)");
  gone_ = got <= 0;
  if (gone_ && start_ == 0) {
    if (late_s_ != 0) return open_too_late(late_s_);
    return failed("the launcher ended before it said when to start (--start-fd)", {}, 0);
  }
  if (gone_) return {};
  unread_.append(part, static_cast<std::size_t>(got));
  for (std::size_t end; (end = unread_.find('\n')) != std::string::npos;
       unread_.erase(0, end + 1)) {
    if (auto heard = hear(std::string_view(unread_).substr(0, end)); !heard) return heard;
  }
  return {};
}

Result<> Launcher::hear(std::string_view line) {
  const double moment = to_number<double>(line).value_or(0);
  if (!std::isfinite(moment) || moment <= 0)
    return failed(fmt::format("the launcher said '{}', which is no time (--start-fd)", line), {},
                  0);
  const double left_s = moment - clock_of_day();
  start_ = left_s < lead_s_ ? 0 : moment;
  late_s_ = -left_s;
  tell(fd_, start_ == 0 ? "late\n" : "set\n");
  return {};
}

}  // namespace

double clock_of_day() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::unexpected<Error> open_too_late(double seconds) {
  const auto span = static_cast<Nanoseconds>(std::max(seconds, 0.0) * kSecond);
  return failed(fmt::format("the connections were open {} after the start: choose a later time",
                            format_duration(span)),
                {}, 0);
}

Result<double> await_start(int fd, const net::Stop& stop, Nanoseconds lead) {
  if (!tell(fd, "ready\n")) return failed("write", "that the connections are open (--start-fd)");
  Launcher launcher(fd, static_cast<double>(lead) / kSecond);
  for (;;) {
    const auto left_s = launcher.left_s();
    const double patience_s = std::clamp(left_s.value_or(0), 0.0, kLongestSleepS);
    const timespec patience = to_timespec(static_cast<Nanoseconds>(patience_s * kSecond));
    pollfd awaited[] = {{.fd = launcher.fd(), .events = POLLIN, .revents = 0},
                        {.fd = stop.fd(), .events = POLLIN, .revents = 0}};
    const int woken = ::ppoll(awaited, 2, left_s ? &patience : nullptr, nullptr);
    if (woken < 0 && errno != EINTR) return failed("poll", "--start-fd");
    if (stop.requested()) return 0;
    if (woken > 0 && awaited[0].revents != 0) {
      // What it has said counts, even where the moment has come: this process may be late.
      if (auto heard = launcher.read(); !heard) return std::unexpected(heard.error());
    } else if (woken == 0 && left_s && *left_s <= 0) {
      tell(fd, "begun\n");
      return launcher.start();
    }
  }
}

}  // namespace wiremark::tools
