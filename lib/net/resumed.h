// The paused connections of a reactor that are to be read again.
#pragma once

#include <vector>

#include "net/handler.h"

namespace wiremark::net {

/// What they had left unconsumed is delivered before anything else of a turn. One thread.
template <std::derived_from<Conn> C>
class Resumed {
 public:
  bool empty() const noexcept { return waiting_.empty(); }

  /// To read `conn` again, which its handler had paused.
  void add(C& conn) {
    conn.paused = false;
    if (!conn.alive() || conn.resumed) return;
    conn.resumed = true;
    waiting_.push_back(&conn);
  }

  /// To be called for one that is about to be freed.
  void forget(C& conn) {
    if (conn.resumed) std::erase(waiting_, &conn);
  }

  /// Delivers what waits, and calls behind(conn), which flushes and reads on, for each connection
  /// that was not paused anew.
  template <StreamHandler H, class F>
  void deliver(H& handler, F&& behind) {
    delivering_.swap(waiting_);
    for (C* conn : delivering_) {
      conn->resumed = false;
      if (!conn->alive() || conn->paused) continue;
      feed_rest(*conn, handler);
      behind(*conn);
    }
    delivering_.clear();
  }

 private:
  std::vector<C*> waiting_;
  std::vector<C*> delivering_;  // Swapped with waiting_ while it is walked.
};

}  // namespace wiremark::net
