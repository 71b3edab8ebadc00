// What a protocol is to a reactor, and how received bytes reach it.
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
///                 latest: kNever to leave that to the kernel, a moment that has passed to look
///                 once and come back
template <class H>
concept Handler = requires(H handler, Nanoseconds now) {
  { handler.on_turn(now) } -> std::same_as<Nanoseconds>;
};

/// What a limit of ReactorOptions ends connections with: no call on a socket gives either.
inline constexpr int kEndedIdle = ETIME;
inline constexpr int kEndedForMemory = EDQUOT;

/// A handler of stream connections.
///
///   on_open(conn)          accepted or connected; it may append at once
///   on_data(conn, bytes)   returns how many bytes it consumed; the rest comes again, in front of
///                          more. The bytes die when it returns
///   on_close(conn, errno)  the last call for this connection; 0 after an orderly end. Also for a
///                          connect that failed, then without an on_open before it. What ends by a
///                          limit of ours has kEndedIdle, kEndedForMemory or EMSGSIZE
template <class H>
concept StreamHandler = Handler<H> && requires(H handler, Conn& conn, Bytes bytes, int error) {
  { handler.on_open(conn) } -> std::same_as<void>;
  { handler.on_data(conn, bytes) } -> std::same_as<std::size_t>;
  { handler.on_close(conn, error) } -> std::same_as<void>;
};

/// Delivers once more what the handler left over, to one that has room again.
template <StreamHandler H>
void feed_rest(Conn& conn, H& handler) {
  if (conn.stash.empty()) return;
  const std::size_t used = handler.on_data(conn, conn.stash.view());
  conn.copy_lent();  // What was lent may lie in the stash.
  conn.stash.consume(used);
}

/// Delivers received bytes behind what the handler left over from earlier ones. While nothing is
/// left over, which is the rule, the handler reads the reactor's own memory and nothing is copied.
/// When more than `stash_limit` bytes stay unconsumed, the peer sends a frame without end: the
/// connection gets the answers to what came before, and ends with EMSGSIZE.
template <StreamHandler H>
void feed(Conn& conn, Bytes received, H& handler, std::size_t stash_limit) {
  if (conn.stash.empty()) {
    const std::size_t used = handler.on_data(conn, received);
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
