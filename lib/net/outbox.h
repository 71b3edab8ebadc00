// What a turn sends over connected UDP sockets: datagrams to the same peer wait for one another,
// and leave together.
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "base/arena.h"
#include "net/datagram.h"
#include "net/gather_choice.h"
#include "net/udp_offload.h"

namespace wiremark::net {

/// A connected socket, and what it has in an outbox.
struct OutboxConn : DatagramConn {
  std::uint32_t sent = 0;  ///< In the turn `turn`, the last one in which it sent any.
  std::uint64_t turn = 0;
  std::uint32_t waiting = 0;  ///< Its datagrams in the outbox.
  std::uint32_t first = 0;    ///< Of its datagrams in the outbox, counted from 1; 0: none.
  std::uint32_t last = 0;
};

/// Where one datagram a turn is sent, none waits: it would gain nothing by that. What waited and is
/// better sent one by one (gather_choice.h) is so. One thread.
class Outbox {
 public:
  /// Whether the datagram that `conn` sends now should wait in here.
  bool holds(OutboxConn& conn) noexcept {
    if (conn.turn == turn_) {
      ++conn.sent;
      return true;
    }
    conn.turn = turn_;
    return std::exchange(conn.sent, 1) > 1;
  }
  /// What is sent from here on is of the next turn.
  void pass() noexcept { ++turn_; }

  /// Adds a copy, in `memory`, behind those that `conn` has here.
  void add(OutboxConn& conn, Bytes head, Bytes body, Arena& memory);
  bool empty() const noexcept { return dirty_.empty(); }
  std::size_t bytes() const noexcept { return bytes_; }

  /// Calls send(conn, run, parts) for each send, and empties it: the memory may be cleared then.
  /// `parts` are the datagrams of the run. Its result is how many of them are dealt with; those
  /// behind come again.
  template <class F>
  void send_all(const Offload& offload, GatherChoice& choice, F&& send);

 private:
  struct Item {
    std::uint32_t next;  // As in OutboxConn.
    std::uint32_t size;
    const std::byte* data;
  };

  const Item& item(std::uint32_t place) const noexcept { return items_[place - 1]; }
  Run next_run(const OutboxConn& conn, const Offload& offload, bool together);

  std::uint64_t turn_ = 1;
  std::vector<Item> items_;
  std::vector<OutboxConn*> dirty_;  // They have datagrams here.
  std::vector<iovec> parts_;        // Of the run that is sent.
  TightCopies copies_;
  std::size_t bytes_ = 0;
};

template <class F>
void Outbox::send_all(const Offload& offload, GatherChoice& choice, F&& send) {
  for (OutboxConn* conn : dirty_) {
    const bool together = choice.together(std::exchange(conn->waiting, 0));
    while (conn->first != 0) {
      const Run run = next_run(*conn, offload, together);
      for (unsigned done = send(*conn, run, parts_); done > 0; --done)
        conn->first = item(conn->first).next;
    }
  }
  dirty_.clear();
  items_.clear();
  copies_.forget();
  bytes_ = 0;
}

}  // namespace wiremark::net
