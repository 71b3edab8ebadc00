// The backends by name, and the functions that open one: the only place that names them all.
#include "net/reactor.h"

namespace wiremark::net {

static_assert(Streams<StreamsOf<EpollReactor>> && Streams<StreamsOf<UringReactor>>);
static_assert(Servers<ServerOf<EpollReactor>> && Servers<ServerOf<UringReactor>> &&
              Servers<ServerOf<XdpReactor>>);
static_assert(Datagrams<DatagramsOf<EpollReactor>> && Datagrams<DatagramsOf<UringReactor>> &&
              Datagrams<DatagramsOf<XdpReactor>>);

namespace {

constexpr Counter ReactorStats::* kCounters[] = {
    &ReactorStats::turns,
    &ReactorStats::system_calls,
    &ReactorStats::sleeps,
    &ReactorStats::accepted,
    &ReactorStats::refused,
    &ReactorStats::accept_errors,
    &ReactorStats::no_descriptors,
    &ReactorStats::bytes_in,
    &ReactorStats::stamped,
    &ReactorStats::unstamped,
    &ReactorStats::bytes_out,
    &ReactorStats::copied,
    &ReactorStats::moved,
    &ReactorStats::pauses,
    &ReactorStats::out_of_buffers,
    &ReactorStats::rearmed,
    &ReactorStats::bundled,
    &ReactorStats::zero_copy,
    &ReactorStats::zero_copy_not,
    &ReactorStats::datagrams_in,
    &ReactorStats::datagrams_out,
    &ReactorStats::gathered_in,
    &ReactorStats::gathered_out,
    &ReactorStats::datagrams_unsent,
    &ReactorStats::datagrams_refused,
};

}  // namespace

ReactorStats& ReactorStats::operator+=(const ReactorStats& other) noexcept {
  for (const auto counter : kCounters) (this->*counter).add((other.*counter).get());
  return *this;
}

ReactorStats operator-(const ReactorStats& later, const ReactorStats& earlier) noexcept {
  ReactorStats spent;
  for (const auto counter : kCounters)
    (spent.*counter).add((later.*counter).get() - (earlier.*counter).get());
  return spent;
}

const char* liburing_version() noexcept { return WIREMARK_LIBURING_VERSION; }

Result<Backend> parse_backend(std::string_view text) {
  for (const Backend backend : {Backend::automatic, Backend::epoll, Backend::uring, Backend::xdp}) {
    if (text == to_string(backend)) return backend;
  }
  return failed("'" + std::string(text) + "' is not auto, epoll, uring or xdp", {}, 0);
}

std::string_view to_string(Backend backend) noexcept {
  switch (backend) {
    case Backend::automatic:
      return "auto";
    case Backend::epoll:
      return EpollReactor::kName;
    case Backend::uring:
      return UringReactor::kName;
    case Backend::xdp:
      return XdpReactor::kName;
  }
  return "?";
}

Result<> only_datagrams_over_xdp() {
  return failed("--backend xdp",
                "(AF_XDP carries udp: addresses; use epoll or uring for any other)",
                EPROTONOSUPPORT);
}

Result<BackendChoice> choose_backend(Backend asked) {
  if (asked == Backend::xdp) {
    if (const auto xdp = XdpReactor::available(); !xdp) return std::unexpected(xdp.error());
    return BackendChoice{Backend::xdp, {}};
  }
  if (asked != Backend::epoll) {
    const auto uring = UringReactor::available();
    if (uring) return BackendChoice{Backend::uring, {}};
    if (asked == Backend::uring) return std::unexpected(uring.error());
    const auto epoll = EpollReactor::available();
    if (!epoll) return std::unexpected(epoll.error());
    return BackendChoice{Backend::epoll, "using epoll, because io_uring cannot run here: " +
                                             uring.error().message()};
  }
  const auto epoll = EpollReactor::available();
  if (!epoll) return std::unexpected(epoll.error());
  return BackendChoice{Backend::epoll, {}};
}

}  // namespace wiremark::net
