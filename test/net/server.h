// A reactor that serves on a thread of its own while the test plays the clients.
#pragma once

#include <doctest/doctest.h>

#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <type_traits>

#include "named_address.h"
#include "net/reactor.h"
#include "net/socket.h"

// The reactors by name, so that a test run can pick one: --test-case=*<uring>*.
TYPE_TO_STRING_AS("epoll", wiremark::net::EpollReactor);
TYPE_TO_STRING_AS("uring", wiremark::net::UringReactor);

namespace wiremark::net {

/// Waits for what another thread is about to make true; up to 20 s, which only a failure takes.
template <class F>
bool eventually(F&& holds) {
  for (int tries = 0; tries < 20'000; ++tries) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

/// A port where nobody listens. It is held, or the kernel could give it to another test, and to the
/// very connections that are to be refused.
class RefusingPort {
 public:
  explicit RefusingPort(const std::string& where) {
    const Address any = net::address(where);
    const int type = any.is_udp() ? SOCK_DGRAM : SOCK_STREAM;
    fd_ = Fd(::socket(any.family(), type | SOCK_CLOEXEC, 0));
    REQUIRE(::bind(fd_.get(), any.data(), any.size()) == 0);
    const Address own = address();
    // A UDP socket that is connected to itself takes datagrams of nobody else (udp(7)).
    if (any.is_udp()) REQUIRE(::connect(fd_.get(), own.data(), own.size()) == 0);
  }
  Address address() const { return Address::of_socket(fd_.get()).value(); }

 private:
  Fd fd_;
};

/// Echoes everything.
struct Echo {
  void on_open(Conn&) {}
  std::size_t on_data(Conn& conn, Bytes bytes) {
    conn.lend(bytes);
    return bytes.size();
  }
  void on_close(Conn&, int error) {
    closed.add();
    last_error = error;
  }
  Nanoseconds on_turn(Nanoseconds) { return kNever; }

  Counter closed;
  std::atomic<int> last_error = 0;
};

/// The view of an R that a handler needs, and no more.
template <class R, class H>
using ViewFor = std::conditional_t<DatagramServer<H>, ServerOf<R>, StreamsOf<R>>;

/// Runs `handler` on an R, which is opened, used and destroyed on the server's thread. A handler
/// with a member `reactor` that points to a view of R finds it there.
template <class R, StreamHandler H>
class Server {
 public:
  explicit Server(H& handler, const ReactorOptions& options = {},
                  const std::string& where = "127.0.0.1:0", const ListenOptions& listening = {}) {
    std::promise<Result<>> opened;
    thread_ = std::thread([&, options, listening, at = net::address(where)] {
      auto backend = R::open(options);
      if (!backend) return opened.set_value(std::unexpected(backend.error()));
      ViewFor<R, H> reactor(**backend);
      if constexpr (requires { handler.reactor = &reactor; }) handler.reactor = &reactor;
      const auto bound = open(reactor, at, listening);
      if (!bound) return opened.set_value(std::unexpected(bound.error()));
      address_ = *bound;
      live_ = backend->get();
      opened.set_value({});
      reactor.run(handler, stop_);
      const std::lock_guard lock(mutex_);
      final_ = reactor.stats();
      dropped_ = (*backend)->datagrams_dropped();
      live_ = nullptr;
    });
    const Result<> result = opened.get_future().get();
    REQUIRE_MESSAGE(result, result.error().message());
  }
  ~Server() { stop(); }

  void stop() {
    stop_.request();
    if (thread_.joinable()) thread_.join();
  }

  const Address& address() const { return address_; }
  /// Known once it has stopped.
  std::uint64_t datagrams_dropped() const { return dropped_; }
  ReactorStats stats() {
    const std::lock_guard lock(mutex_);
    return live_ ? live_->stats() : final_;
  }

 private:
  template <class V>
  static Result<Address> open(V& reactor, const Address& at, const ListenOptions& options) {
    if constexpr (Servers<V>) {
      if (at.is_udp()) return reactor.bind(at, options);
    }
    return reactor.listen(at, options);
  }

  Stop stop_;
  Address address_;
  std::mutex mutex_;
  R* live_ = nullptr;  // Guarded by mutex_ once the server runs.
  ReactorStats final_;
  std::uint64_t dropped_ = 0;
  std::thread thread_;
};

}  // namespace wiremark::net
