// What a reactor calls for stream connections, and how received bytes reach a handler. Stable.
#pragma once

#include <cerrno>
#include <concepts>
#include <cstddef>

#include "base/clock.h"
#include "net/conn.h"

namespace wiremark::net {

/// A plain struct; every call comes on the reactor's thread.
///
///   on_turn(now)  once a turn, after its deliveries; returns when it wants the next turn at the
///                 latest: kNever to sleep until something happens, a moment in the past to come
///                 back without sleeping
template <class H>
concept Handler = requires(H handler, Nanoseconds now) {
  { handler.on_turn(now) } -> std::same_as<Nanoseconds>;
};

/// The errno of connections that a limit of ReactorOptions ended; no call on a socket gives these.
inline constexpr int kEndedIdle = ETIME;
inline constexpr int kEndedForMemory = EDQUOT;

/// A handler of stream connections.
///
///   on_open(conn)          accepted or connected; it may append at once
///   on_data(conn, bytes)   returns how many bytes it consumed; the others come again, in front of
///                          more. The bytes are gone when it returns
///   on_close(conn, errno)  the last call for this connection; 0 after an orderly end. A connect
///                          that failed has it too, without an on_open before. Limits of ours end
///                          connections with kEndedIdle, kEndedForMemory or EMSGSIZE
template <class H>
concept StreamHandler = Handler<H> && requires(H handler, Conn& conn, Bytes bytes, int error) {
  { handler.on_open(conn) } -> std::same_as<void>;
  { handler.on_data(conn, bytes) } -> std::same_as<std::size_t>;
  { handler.on_close(conn, error) } -> std::same_as<void>;
};

/// A handler that sends back all that comes, as it came, and does not look at it. A backend may
/// then move bytes from the socket to the socket without on_data.
///
///   on_moved(conn, size)   so many bytes have come and were sent back, or are being sent
template <class H>
concept EchoHandler = StreamHandler<H> && requires(H handler, Conn& conn, std::size_t size) {
  { handler.on_moved(conn, size) } -> std::same_as<void>;
};

/// Delivers again what a handler that was paused had left unconsumed.
template <StreamHandler H>
void feed_rest(Conn& conn, H& handler) {
  if (conn.stash.empty()) return;
  const std::size_t used = handler.on_data(conn, conn.stash.view());
  conn.copy_lent();  // Lent bytes may lie in the stash.
  conn.stash.consume(used);
}

/// Delivers received bytes, behind those that the handler left unconsumed earlier. Usually there
/// are none: then the handler reads the reactor's own memory and nothing is copied. When more than
/// `stash_limit` bytes stay unconsumed, the peer is sending a frame without an end: the connection
/// gets the answers to what came before and ends with EMSGSIZE.
template <StreamHandler H>
void feed(Conn& conn, Bytes received, H& handler, std::size_t stash_limit) {
  if (conn.stash.empty()) {
    const std::size_t used = handler.on_data(conn, received);
    if (used == received.size()) return;
    conn.stash.append(received.subspan(used));
  } else {
    conn.stash.append(received);
    feed_rest(conn, handler);
  }
  if (conn.stash.size() <= stash_limit) return;
  conn.stash.clear();
  conn.finish(EMSGSIZE);
}

}  // namespace wiremark::net
