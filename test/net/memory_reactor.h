// A reactor without a kernel: a test hands it bytes and reads what the handler sent.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "net/conn_pool.h"
#include "net/handler.h"

namespace wiremark::net {

/// Has the real ones' order of calls. `room` is what its peers' sockets still take.
template <Handler H>
class MemoryReactor {
 public:
  explicit MemoryReactor(H& handler, std::size_t stash_limit = SIZE_MAX)
      : handler_(handler), stash_limit_(stash_limit) {}

  Conn& open() {
    Conn& conn = pool_.take(next_fd_++, Conn::State::open);
    handler_.on_open(conn);
    flush(conn);
    return conn;
  }

  void deliver(Conn& conn, Bytes bytes) {
    if (conn.state != Conn::State::open) return;
    if (!feed(conn, bytes, handler_, stash_limit_)) close(conn, EMSGSIZE);
    flush(conn);
  }

  void peer_closes(Conn& conn) {
    conn.finish();
    flush(conn);
  }

  void flush(Conn& conn) {
    conn.copy_lent();
    if (!conn.alive()) return;
    const Bytes taken = conn.out.view().first(std::min(room, conn.out.size()));
    sent[conn.fd] += as_text(taken);
    room -= taken.size();
    conn.out.consume(taken.size());
    if (conn.state == Conn::State::finishing && conn.out.empty()) close(conn, 0);
  }

  void close(Conn& conn, int error = 0) {
    if (conn.state == Conn::State::closing) return;
    conn.state = Conn::State::closing;
    conn.error = error;
    dead_.push_back(&conn);
  }

  void turn() {
    handler_.on_turn(0);
    while (!dead_.empty()) {
      Conn& conn = *dead_.back();
      dead_.pop_back();
      handler_.on_close(conn, conn.error);
      pool_.give_back(conn);
    }
  }

  std::size_t connections() const noexcept { return pool_.in_use(); }

  std::map<int, std::string> sent;  ///< By the connection's fd: all that it sent.
  std::size_t room = SIZE_MAX;

 private:
  H& handler_;
  std::size_t stash_limit_;
  ConnPool<Conn> pool_;
  std::vector<Conn*> dead_;
  int next_fd_ = 0;
};

}  // namespace wiremark::net
