// What a reactor is: three concepts, which templates over reactors ask for. Stable.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "net/address.h"
#include "net/attention.h"
#include "net/datagram.h"
#include "net/handler.h"
#include "net/reactor_options.h"
#include "net/socket.h"
#include "net/stop.h"

namespace wiremark::net {

/// A loop on one thread, its clock and its counts.
///
///   now()            the time, read anew
///   woke()           when the wait of this turn ended; what it delivers had arrived by then
///   heard()          when a loop that is never held up would have delivered this turn's bytes
///   gap()            since when, and how long, the loop had not listened when it woke
///   taken_until()    everything that had arrived by then has been delivered, except to
///                    connections that are not being read
///   received()       when the kernel had received the last bytes of the delivery in hand; 0 where
///                    it was not asked (ReactorOptions::receive_timestamps) or does not tell
///   describe()       what the path in a result says, a line each
template <class R>
concept Reactor = requires(R reactor, const R& constant) {
  { constant.name() } -> std::convertible_to<std::string_view>;
  { constant.now() } -> std::same_as<Nanoseconds>;
  { constant.woke() } -> std::same_as<Nanoseconds>;
  { constant.heard() } -> std::same_as<Nanoseconds>;
  { constant.gap() } -> std::same_as<Gap>;
  { constant.taken_until() } -> std::same_as<Nanoseconds>;
  { constant.received() } -> std::same_as<Nanoseconds>;
  { constant.stats() } -> std::same_as<const ReactorStats&>;
  { constant.connections() } -> std::same_as<std::size_t>;
  { constant.describe() } -> std::same_as<std::vector<std::string>>;
};

/// Stream connections, opened by the reactor.
///
///   listen(at, options)          accepts there; returns the bound address, port 0 resolved
///   connect(to, options, user)   starts a connection; on_open or on_close tells how it went. An
///                                error here means that there was no socket to start with
///   flush(conn)                  hands appended and lent bytes to the kernel; needed only outside
///                                on_open and on_data
///   handed(conn)                 whether the kernel has taken what was flushed
///   unacknowledged(conn)         bytes sent that the kernel of the other end has not acknowledged,
///                                in on_close too; less or 0 where that is not known
///   close(conn, errno)           ends a connection; on_close gets this errno at the end of a turn
///   resume(conn)                 reads a paused connection again; bytes that were left
///                                unconsumed come first, in the next turn
///   release(conn)                hands the socket over instead of closing it. Only in on_close, or
///                                after run() has returned
///   for_each(visit)              every connection that has not had its on_close
template <class R>
concept Streams = Reactor<R> && requires(R reactor, Conn& conn, const Address& address,
                                         const ListenOptions& listening,
                                         const ConnectOptions& connecting, void* user) {
  { reactor.listen(address, listening) } -> std::same_as<Result<Address>>;
  { reactor.connect(address, connecting, user) } -> std::same_as<Result<Conn*>>;
  { reactor.flush(conn) } -> std::same_as<void>;
  { reactor.handed(conn) } -> std::same_as<Handed>;
  { reactor.unacknowledged(conn) } -> std::same_as<std::size_t>;
  { reactor.close(conn, 0) } -> std::same_as<void>;
  { reactor.resume(conn) } -> std::same_as<void>;
  { reactor.release(conn) } -> std::same_as<Fd>;
  reactor.for_each([](Conn&) {});
};

/// Stream connections, and bound UDP sockets that anybody may send to.
///
///   bind(at, options)    answers the datagrams that come there; returns the bound address
///   datagrams_dropped()  those that the kernel dropped because their socket was full
template <class R>
concept Servers =
    Streams<R> && requires(R reactor, const Address& address, const ListenOptions& listening) {
      { reactor.bind(address, listening) } -> std::same_as<Result<Address>>;
      { reactor.datagrams_dropped() } -> std::same_as<std::uint64_t>;
    };

/// Datagrams over connected sockets.
///
///   connect(to, options, user)   a socket to one address, ready at once
///   send(conn, head, body)       sends one datagram in this turn, or drops it; returns 0, or the
///                                errno where the backend knows at once that it was dropped
///   datagrams_dropped()          those that the kernel dropped because their socket was full
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
