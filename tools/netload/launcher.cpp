// A launcher that starts several netloads together.
#include "netload/launcher.h"

#include <poll.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>

namespace wiremark::tools {

Result<double> await_start(int fd, const net::Stop& stop) {
  constexpr std::string_view kReady = "ready\n";
  if (::write(fd, kReady.data(), kReady.size()) != static_cast<ssize_t>(kReady.size()))
    return failed("write", "that the connections are open (--start-fd)");
  std::string line;
  while (!line.ends_with('\n')) {
    pollfd awaited[] = {{.fd = fd, .events = POLLIN, .revents = 0},
                        {.fd = stop.fd(), .events = POLLIN, .revents = 0}};
    if (::poll(awaited, 2, -1) < 0 && errno != EINTR) return failed("poll", "--start-fd");
    if (stop.requested()) return 0;
    if (awaited[0].revents == 0) continue;
    char part[64];
    const ssize_t got = ::read(fd, part, sizeof part);
    if (got == 0)
      return failed("the launcher ended before it said when to start (--start-fd)", {}, 0);
    if (got < 0 && errno != EINTR) return failed("read", "when to start (--start-fd)");
    if (got > 0) line.append(part, static_cast<std::size_t>(got));
  }
  double seconds = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), seconds);
  if (error == std::errc() && *end == '\n' && seconds > 0) return seconds;
  line.pop_back();
  return failed("the launcher said '" + line + "', which is no time (--start-fd)", {}, 0);
}

}  // namespace wiremark::tools
