// The first stage of the staged server: bytes from sockets into the ring of each connection.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "net/concepts.h"
#include "netecho/echo.h"
#include "netecho/link.h"

namespace wiremark::tools {

/// A handler that does not look into the bytes. A connection whose ring is full is not read from
/// until half of the ring is free.
template <net::Streams Reactor>
class Receiver {
 public:
  Receiver(Reactor& reactor, StageLinks& links, EchoCounts& counts)
      : reactor_(reactor), links_(links), counts_(counts) {}

  void on_open(net::Conn& conn) {
    auto* link = new Link(conn.fd, links_.ring_size);
    conn.user = link;
    counts_.opened.add();
    links_.opened.post(link);
  }

  std::size_t on_data(net::Conn& conn, Bytes bytes) {
    Link& link = *static_cast<Link*>(conn.user);
    if (link.arrived_ns.load(std::memory_order_relaxed) == 0)
      link.arrived_ns.store(reactor_.woke(), std::memory_order_relaxed);
    const std::size_t taken = link.in.push(bytes);
    if (taken < bytes.size() && !conn.paused) {
      conn.pause();
      paused_.push_back(&conn);
      ++pauses_;
    }
    return taken;
  }

  void on_close(net::Conn& conn, int error) {
    std::erase(paused_, &conn);
    end(conn, error);
  }

  Nanoseconds on_turn(Nanoseconds now) {
    if (paused_.empty()) return kNever;
    if (now < next_look_) return next_look_;
    next_look_ = now + kLook;
    looked_.swap(paused_);
    for (net::Conn* conn : looked_) {
      if (static_cast<Link*>(conn->user)->in.room() >= links_.ring_size / 2)
        reactor_.resume(*conn);
      else
        paused_.push_back(conn);
    }
    looked_.clear();
    return next_look_;
  }

  /// After the reactor's run: nothing more is received; what was received is still answered.
  void end_all() {
    reactor_.for_each([this](net::Conn& conn) { end(conn, 0); });
    links_.all_received.store(true, std::memory_order_release);
  }

  /// How often a full ring stopped the reading of a connection.
  std::uint64_t pauses() const noexcept { return pauses_; }

 private:
  // How often a full ring is looked at for room, which the processor makes in its ticks.
  static constexpr Nanoseconds kLook = kMillisecond;

  void end(net::Conn& conn, int error) {
    Link& link = *static_cast<Link*>(std::exchange(conn.user, nullptr));
    const Bytes rest = conn.stash.view();
    link.rest.assign(rest.begin(), rest.end());
    link.receive_error = error;
    link.socket = reactor_.release(conn);
    link.ended.store(true, std::memory_order_release);
  }

  Reactor& reactor_;
  StageLinks& links_;
  EchoCounts& counts_;
  std::vector<net::Conn*> paused_;
  std::vector<net::Conn*> looked_;  // Swapped with paused_ while it is walked.
  Nanoseconds next_look_ = 0;
  std::uint64_t pauses_ = 0;
};

}  // namespace wiremark::tools
