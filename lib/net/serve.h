// A server in one call, for a program that is one. Stable.
#pragma once

#include <string_view>
#include <utility>

#include "net/address.h"
#include "net/reactor.h"
#include "net/socket.h"
#include "net/stop.h"

namespace wiremark::net {

/// Listens at `address`, such as "127.0.0.1:7007", or at all addresses of a name, and calls
/// on_data(conn, bytes) with what arrives on any connection until `stop` is requested; it returns
/// how many bytes it took, as on_data() of a StreamHandler does. One loop on this thread, of
/// `backend`: io_uring where it runs, unless one is named. Errors: those of the address, of the
/// backend, and of the loop.
template <class OnData>
Result<> serve(std::string_view address, OnData on_data, const Stop& stop = {},
               Backend backend = Backend::automatic) {
  struct Server {
    Nanoseconds on_turn(Nanoseconds) { return kNever; }
    void on_open(Conn&) {}
    std::size_t on_data(Conn& conn, Bytes bytes) { return take(conn, bytes); }
    void on_close(Conn&, int) {}
    OnData take;
  };
  const auto places = addresses_to_listen_at(address);
  if (!places) return std::unexpected(places.error());
  const auto choice = choose_backend(backend);
  if (!choice) return std::unexpected(choice.error());
  return with_streams(choice->backend, {}, [&](auto& streams) -> Result<> {
    Server server{std::move(on_data)};
    for (const Address& place : *places) {
      if (const auto bound = streams.listen(place, {}); !bound)
        return std::unexpected(bound.error());
    }
    return streams.run(server, stop);
  });
}

}  // namespace wiremark::net
