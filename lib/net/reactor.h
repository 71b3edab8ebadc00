// What a reactor is, and the one place that names them all.
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/epoll_reactor.h"
#include "net/uring_reactor.h"

namespace wiremark::net {

template <class R, class H>
concept Reactor = Handler<H> && requires(R reactor, H& handler, Conn& conn, Fd fd,
                                         const Address& to, void* user, const Stop& stop) {
  { R::kName } -> std::convertible_to<std::string_view>;
  { reactor.listen(std::move(fd)) } -> std::same_as<void>;
  { reactor.listen_datagrams(std::move(fd)) } -> std::same_as<Result<>>;
  { reactor.connect(std::move(fd), to, user) } -> std::same_as<Conn&>;
  { reactor.adopt(std::move(fd), handler) } -> std::same_as<Conn&>;
  { reactor.flush(conn) } -> std::same_as<void>;
  { reactor.close(conn, 0) } -> std::same_as<void>;
  { reactor.run(handler, stop) } -> std::same_as<Result<>>;
  { reactor.resume(conn) } -> std::same_as<void>;
  { reactor.release(conn) } -> std::same_as<Fd>;
  reactor.for_each([](Conn&) {});
  { reactor.now() } -> std::same_as<Nanoseconds>;
  { reactor.woke() } -> std::same_as<Nanoseconds>;
  { reactor.taken_until() } -> std::same_as<Nanoseconds>;
  { reactor.received() } -> std::same_as<Nanoseconds>;
  { reactor.send_datagram(conn, Bytes(), Bytes()) } -> std::same_as<int>;
  { reactor.datagrams_dropped() } -> std::same_as<std::uint64_t>;
  { reactor.stats() } -> std::same_as<const ReactorStats&>;
  { reactor.connections() } -> std::same_as<std::size_t>;
  { reactor.describe() } -> std::same_as<std::vector<std::string>>;
};

enum class Backend { automatic, epoll, uring };

/// The liburing this was built with, such as "2.3".
const char* liburing_version() noexcept;

/// "auto", "epoll" or "uring".
Result<Backend> parse_backend(std::string_view text);
std::string_view to_string(Backend backend) noexcept;

/// A backend that runs here, and what to tell the user when it is not the one preferred.
struct BackendChoice {
  Backend backend;
  std::string note;  ///< Empty unless `auto` had to do without io_uring.
};

/// Tries what was asked for. `auto` prefers io_uring and falls back to epoll with a note; a backend
/// asked for by name either runs or is an error that names the fix. There is no silent fallback.
Result<BackendChoice> choose_backend(Backend asked);

/// Opens the reactor of `backend` on this thread and calls body(reactor). Below this door no code
/// asks which backend it has.
template <class F>
Result<> with_reactor(Backend backend, const ReactorOptions& options, F&& body) {
  const auto open_and_run = [&]<class R>(std::type_identity<R>) -> Result<> {
    auto reactor = R::open(options);
    if (!reactor) return std::unexpected(reactor.error());
    return body(**reactor);
  };
  if (backend == Backend::uring) return open_and_run(std::type_identity<UringReactor>{});
  return open_and_run(std::type_identity<EpollReactor>{});
}

}  // namespace wiremark::net
