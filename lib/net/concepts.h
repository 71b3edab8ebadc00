// What a reactor is: three concepts, which templates over reactors ask for.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "net/address.h"
#include "net/datagram.h"
#include "net/handler.h"
#include "net/reactor_options.h"
#include "net/socket.h"
#include "net/stop.h"

namespace wiremark::net {

/// A loop on one thread, its clock and its counts.
///
///   now()            the time, read anew
///   woke()           when the wait of this turn ended: the moment its bytes were there to be read
///                    at the latest
///   heard()          when a loop that is never held up would have delivered what this turn does
///   gap()            how long the loop had not listened when it woke
///   taken_until()    everything that had arrived by then has been delivered, but to connections
///                    that are not read
///   received()       when the kernel had received the last bytes of the delivery in hand; 0 where
///                    it was not asked for (ReactorOptions::receive_timestamps) or does not tell
///   describe()       what the path in a result says, a line each
template <class R>
concept Reactor = requires(R reactor, const R& constant) {
  { constant.name() } -> std::convertible_to<std::string_view>;
  { constant.now() } -> std::same_as<Nanoseconds>;
  { constant.woke() } -> std::same_as<Nanoseconds>;
  { constant.heard() } -> std::same_as<Nanoseconds>;
  { constant.gap() } -> std::same_as<Nanoseconds>;
  { constant.taken_until() } -> std::same_as<Nanoseconds>;
  { constant.received() } -> std::same_as<Nanoseconds>;
  { constant.stats() } -> std::same_as<const ReactorStats&>;
  { constant.connections() } -> std::same_as<std::size_t>;
  { constant.describe() } -> std::same_as<std::vector<std::string>>;
};

/// Stream connections, opened by the reactor.
///
///   listen(at, options)          accepts there; the address that was bound, port 0 resolved
///   connect(to, options, user)   starts a connection; on_open or on_close tells how it went. An
///                                error is of the socket, before anything was started
///   flush(conn)                  hands appended and lent bytes to the kernel; needed only outside
///                                on_open and on_data
///   close(conn, errno)           ends a connection; on_close follows with it at the end of a turn
///   resume(conn)                 reads a connection again that its handler had paused; what waits
///                                with it comes first, in the next turn
///   release(conn)                hands out the socket, which is not closed then. Only in on_close,
///                                or after run() when nothing is called any more
///   for_each(visit)              every connection whose on_close has not come
template <class R>
concept Streams = Reactor<R> && requires(R reactor, Conn& conn, const Address& address,
                                         const ListenOptions& listening,
                                         const ConnectOptions& connecting, void* user) {
  { reactor.listen(address, listening) } -> std::same_as<Result<Address>>;
  { reactor.connect(address, connecting, user) } -> std::same_as<Result<Conn*>>;
  { reactor.flush(conn) } -> std::same_as<void>;
  { reactor.close(conn, 0) } -> std::same_as<void>;
  { reactor.resume(conn) } -> std::same_as<void>;
  { reactor.release(conn) } -> std::same_as<Fd>;
  reactor.for_each([](Conn&) {});
};

/// Stream connections, and datagrams of anybody who sends one.
///
///   bind(at, options)    answers whatever comes there; the address that was bound
///   datagrams_dropped()  those that came and found no room in their socket
template <class R>
concept Servers =
    Streams<R> && requires(R reactor, const Address& address, const ListenOptions& listening) {
      { reactor.bind(address, listening) } -> std::same_as<Result<Address>>;
      { reactor.datagrams_dropped() } -> std::same_as<std::uint64_t>;
    };

/// Datagrams over connected sockets.
///
///   connect(to, options, user)   a socket to one address, ready at once
///   send(conn, head, body)       sends one datagram or none, never later; 0, or the errno where
///                                the backend knows at once that the kernel did not take it
///   datagrams_dropped()          those that came and found no room in their socket
///   for_each(visit)              every socket
template <class R>
concept Datagrams = Reactor<R> && requires(R reactor, DatagramConn& conn, const Address& address,
                                           const ConnectOptions& connecting, void* user) {
  { reactor.connect(address, connecting, user) } -> std::same_as<Result<DatagramConn*>>;
  { reactor.send(conn, Bytes(), Bytes()) } -> std::same_as<int>;
  { reactor.datagrams_dropped() } -> std::same_as<std::uint64_t>;
  reactor.for_each([](DatagramConn&) {});
};

}  // namespace wiremark::net
