// The backends by name, and the functions that open one: the only place that names all. Stable.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "net/epoll_reactor.h"
#include "net/uring_reactor.h"
#include "net/views.h"
#include "net/xdp/reactor.h"

namespace wiremark::net {

enum class Backend { automatic, epoll, uring, xdp };

/// The version of liburing that this was built with, such as "2.3".
const char* liburing_version() noexcept;

/// "auto", "epoll", "uring" or "xdp".
Result<Backend> parse_backend(std::string_view text);
std::string_view to_string(Backend backend) noexcept;

/// A backend that can run here, and a note for the user when it is not the preferred one.
struct BackendChoice {
  Backend backend;
  std::string note;  ///< Empty unless io_uring was preferred and cannot run.
};

/// Tries what was asked for. `auto` prefers io_uring and falls back to epoll with a note; a backend
/// asked for by name either runs or is an error that names the fix. There is no silent fallback.
Result<BackendChoice> choose_backend(Backend asked);

/// Why AF_XDP cannot be had for streams.
Result<> only_datagrams_over_xdp();

/// Opens the reactor of `backend` on this thread and calls body(view) with a View of it. Code
/// inside `body` never asks which backend it has.
template <template <class> class View, class F>
Result<> with_reactor(Backend backend, const ReactorOptions& options, F&& body) {
  const auto open_and_run = [&]<class R>(std::type_identity<R>) -> Result<> {
    auto reactor = R::open(options);
    if (!reactor) return std::unexpected(reactor.error());
    View<R> view(**reactor);
    return body(view);
  };
  if (backend == Backend::uring) return open_and_run(std::type_identity<UringReactor>{});
  if (backend == Backend::xdp) {
    if constexpr (Servers<View<XdpReactor>> || Datagrams<View<XdpReactor>>)
      return open_and_run(std::type_identity<XdpReactor>{});
    return only_datagrams_over_xdp();
  }
  return open_and_run(std::type_identity<EpollReactor>{});
}

/// For a handler of stream connections.
template <class F>
Result<> with_streams(Backend backend, const ReactorOptions& options, F&& body) {
  return with_reactor<StreamsOf>(backend, options, body);
}

/// For a handler that answers stream connections and datagrams of anybody.
template <class F>
Result<> with_server(Backend backend, const ReactorOptions& options, F&& body) {
  return with_reactor<ServerOf>(backend, options, body);
}

/// For a handler of connected UDP sockets.
template <class F>
Result<> with_datagrams(Backend backend, const ReactorOptions& options, F&& body) {
  return with_reactor<DatagramsOf>(backend, options, body);
}

}  // namespace wiremark::net
