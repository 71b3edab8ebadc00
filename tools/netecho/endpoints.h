// The addresses that a server listens at.
#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "net/concepts.h"
#include "net/socket.h"
#include "netecho/echo_options.h"

namespace wiremark::tools {

/// Opens the endpoints of a server: every thread listens at the same addresses, on its own reactor.
/// The first thread resolves port 0 for the others. A Unix path cannot be bound several times, so
/// the threads share one listener.
class Endpoints {
 public:
  explicit Endpoints(const EchoOptions& options) : options_(options) {
    static_cast<net::SocketOptions&>(how_) = options.backend.socket;
    how_.backlog = static_cast<int>(options.backlog);
    how_.share_port = options.threads.threads > 1;
  }

  Result<> open_on(auto& reactor) {
    const std::lock_guard lock(mutex_);
    if (bound_.empty()) {
      if (auto resolved = resolve(); !resolved) return resolved;
    }
    for (Endpoint& endpoint : bound_) {
      net::ListenOptions how = how_;
      how.listener = endpoint.listener ? endpoint.listener.get() : -1;
      auto bound = open(reactor, endpoint.address, how);
      if (!bound) return std::unexpected(bound.error());
      endpoint.address = *bound;
    }
    return {};
  }

  /// To be called when all threads have opened them.
  std::vector<net::Address> addresses() const {
    std::vector<net::Address> addresses;
    for (const Endpoint& endpoint : bound_) addresses.push_back(endpoint.address);
    return addresses;
  }

 private:
  struct Endpoint {
    net::Address address;
    Fd listener;  // Of a Unix path that is shared.
  };

  Result<> resolve() {
    std::vector<Endpoint> endpoints;
    for (const std::string& text : options_.listen) {
      const auto addresses = net::addresses_to_listen_at(text, options_.family.family());
      if (!addresses) return std::unexpected(addresses.error());
      for (const net::Address& address : *addresses) {
        if (auto free = net::require_free(address); !free) return free;
        Endpoint endpoint{address, {}};
        if (address.is_unix() && how_.share_port) {
          auto listener = net::listen_on(address, how_);
          if (!listener) return std::unexpected(listener.error());
          endpoint.listener = std::move(*listener);
        }
        endpoints.push_back(std::move(endpoint));
      }
    }
    bound_ = std::move(endpoints);
    return {};
  }

  template <class R>
  static Result<net::Address> open(R& reactor, const net::Address& at,
                                   const net::ListenOptions& how) {
    if constexpr (net::Servers<R>) {
      if (at.is_udp()) return reactor.bind(at, how);
    }
    return reactor.listen(at, how);
  }

  const EchoOptions& options_;
  net::ListenOptions how_;
  std::mutex mutex_;
  std::vector<Endpoint> bound_;
};

}  // namespace wiremark::tools
