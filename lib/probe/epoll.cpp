// Whether the wait of our reactor on epoll can be had: a kernel before Linux 5.11 has epoll, and
// not this call.
#include <sys/epoll.h>
#include <time.h>

#include "base/fd.h"
#include "probe/evidence.h"
#include "probe/finding.h"

namespace wiremark::probe {

Result<> wait_on_epoll() {
  const Fd epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) return failed("epoll_create1");
  epoll_event event;
  constexpr timespec kNoTime{};
  if (::epoll_pwait2(epoll.get(), &event, 1, &kNoTime, nullptr) < 0)
    return failed("epoll_pwait2", "(needs Linux 5.11)");
  return {};
}

Findings probe_epoll() {
  if (const auto waited = wait_on_epoll(); !waited) {
    return {{kNetworkGroup, kReactorEpoll, Answer::no,
             failure(waited.error().operation, waited.error().code), "Linux 5.11"}};
  }
  return {{kNetworkGroup, kReactorEpoll, Answer::yes, "epoll_pwait2 returned", ""}};
}

}  // namespace wiremark::probe
