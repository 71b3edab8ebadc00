// The handlers of datagrams: for a bound socket that anybody may send to, and for connected
// sockets.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>

#include "net/handler.h"

namespace wiremark::net {

/// The longest payload over IPv4: 65,535 bytes less 20 of IP and 8 of UDP (RFC 768, RFC 791).
inline constexpr std::size_t kDatagramMax = 65'507;

/// A connected UDP socket. It lives as long as the reactor that owns it: nothing else ends it.
struct DatagramConn {
  void* user = nullptr;  ///< For the handler.
  int fd = -1;           ///< -1 where the socket has none.
};

/// A handler that answers datagrams of anybody who sends one. It has no connections for them.
///
///   on_datagram(bytes)  returns the answer, which goes back to the sender, or nothing. The bytes
///                       die when it returns; the answer, which may lie in them, with the next
///                       call
template <class H>
concept DatagramServer = Handler<H> && requires(H handler, Bytes bytes) {
  { handler.on_datagram(bytes) } -> std::same_as<std::optional<Bytes>>;
};

/// A handler of connected UDP sockets.
///
///   on_datagram(conn, bytes)        one datagram, which may be empty; the bytes die when it
///                                   returns
///   on_datagram_error(conn, errno)  a datagram could not be sent, or the network has said that an
///                                   earlier one did not arrive (ECONNREFUSED: nobody listens
///                                   there)
template <class H>
concept DatagramClient =
    Handler<H> && requires(H handler, DatagramConn& conn, Bytes bytes, int error) {
      { handler.on_datagram(conn, bytes) } -> std::same_as<void>;
      { handler.on_datagram_error(conn, error) } -> std::same_as<void>;
    };

}  // namespace wiremark::net
