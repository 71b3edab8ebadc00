// Whether a socket and an epoll poll the queue of a network card: setting it succeeds where there
// is no such queue.
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cstdint>

#include "measure/text_file.h"
#include "probe/evidence.h"
#include "probe/finding.h"
#include "probe/loopback.h"

namespace wiremark::probe {

namespace {

// struct epoll_params of <linux/eventpoll.h> (Linux 6.9).
struct EpollParams {
  std::uint32_t busy_poll_usecs;
  std::uint16_t busy_poll_budget;
  std::uint8_t prefer_busy_poll;
  std::uint8_t pad;
};

// What an accepted setting is worth on a socket with this NAPI id.
Finding accepted(const char* what, unsigned id) {
  return {kNetworkGroup, what, id > 0 ? Answer::yes : Answer::no_effect, napi_evidence(id),
          id > 0 ? "" : "a network card with NAPI, and no loopback"};
}

Finding try_option(const Loopback& pair, const char* what, int option, int value) {
  if (::setsockopt(pair.server.get(), SOL_SOCKET, option, &value, sizeof value) < 0) {
    const int error = errno;
    return {kNetworkGroup, what, Answer::no, failure("setsockopt", error),
            error == EPERM ? "setcap cap_net_admin+ep PROGRAM" : "Linux 5.11"};
  }
  return accepted(what, napi_id(pair.server.get()));
}

Finding try_epoll(const Loopback& pair) {
  constexpr const char* kWhat = "EPIOCSPARAMS polls";
  const Fd epoll(::epoll_create1(EPOLL_CLOEXEC));
  const EpollParams params{
      .busy_poll_usecs = 50, .busy_poll_budget = 8, .prefer_busy_poll = 1, .pad = 0};
  if (::ioctl(epoll.get(), _IOW(0x8A, 0x01, EpollParams), &params) < 0)
    return {kNetworkGroup, kWhat, Answer::no, failure("ioctl EPIOCSPARAMS", errno), "Linux 6.9"};
  return accepted(kWhat, napi_id(pair.server.get()));
}

}  // namespace

Findings probe_busy_polling() {
  const auto pair = connect_streams();
  if (!pair) return {{kNetworkGroup, "busy polling", Answer::untried, pair.error().message(), ""}};
  // A message, so that the socket would have an id of the queue it came through.
  char byte = 0;
  if (::send(pair->client.get(), &byte, 1, MSG_NOSIGNAL) == 1)
    static_cast<void>(::recv(pair->server.get(), &byte, 1, 0));
  Findings found = {try_option(*pair, "SO_BUSY_POLL polls", SO_BUSY_POLL, 50),
                    try_option(*pair, "SO_PREFER_BUSY_POLL polls", SO_PREFER_BUSY_POLL, 1),
                    try_epoll(*pair)};
  if (const auto text = measure::read_text("/proc/sys/net/core/busy_read"); text) {
    std::string_view digits = *text;
    const std::uint64_t us = measure::take_number(digits).value_or(0);
    found.push_back({kNetworkGroup, "busy polling of all", us > 0 ? Answer::yes : Answer::no,
                     "sysctl net.core.busy_read is " + std::to_string(us),
                     us > 0 ? "" : "sysctl -w net.core.busy_read=50"});
  }
  return found;
}

}  // namespace wiremark::probe
