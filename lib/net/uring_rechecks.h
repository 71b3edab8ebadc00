// When an io_uring reactor looks again at connections whose receives are silent.
#pragma once

#include <cstddef>

#include "base/clock.h"
#include "net/conn_pool.h"
#include "net/uring_conn.h"

namespace wiremark::net {

/// The kernel may read the last data of a connection that was reset, forget the reset, and leave
/// the multishot receive armed for ever: Linux 6.18 does so if both were there before its poll was
/// armed, releases without "io_uring/poll: fix multishot recv missing EOF on wakeup race" if both
/// came in one wake-up. So a receive that delivered and then was silent is cancelled once and armed
/// again, which makes it look at the socket. One block of the pool at a time: 256 connections take
/// 0.2 to 0.5 ms.
class UringRechecks {
 public:
  /// `pause`: between two looks at one connection.
  explicit UringRechecks(Nanoseconds pause) noexcept : pause_(pause) {}

  /// The receive of a connection has delivered, and goes on.
  static void delivered(UringConn& conn) noexcept { conn.doubts = kDoubts; }

  /// There were completions: plans enough rechecks for every connection after the last of them.
  /// Then the loop may sleep.
  void plan(Nanoseconds now, const ConnPool<UringConn>& pool) noexcept {
    left_ = kDoubts * pool.blocks();
    if (due_ == kNever && left_ > 0) due_ = now + pause_in(pool);
  }

  /// Once a turn. cancel(conn) ends the receive of a connection.
  void turn(Nanoseconds now, ConnPool<UringConn>& pool, auto&& cancel) {
    if (now < due_) return;
    block_ = (block_ + 1) % pool.blocks();
    pool.for_each_in(block_, [&cancel](UringConn& conn) {
      if (conn.doubts > 0 && --conn.doubts == 0 && conn.reading) cancel(conn);
    });
    due_ = --left_ > 0 ? now + pause_in(pool) : kNever;
  }

  /// When the next turn is wanted at the latest; kNever while none is.
  Nanoseconds due() const noexcept { return due_; }

 private:
  // How often a connection may be rechecked after its last delivery. The first recheck may come at
  // once; the second comes a whole pause later.
  static constexpr unsigned kDoubts = 2;

  Nanoseconds pause_in(const ConnPool<UringConn>& pool) const noexcept {
    return pause_ / static_cast<Nanoseconds>(pool.blocks());
  }

  Nanoseconds pause_;
  Nanoseconds due_ = kNever;
  std::size_t left_ = 0;   // Each covers one block of the pool.
  std::size_t block_ = 0;  // The last one that was looked at.
};

}  // namespace wiremark::net
