// The connections of a client over AF_XDP: an ordinary socket each, which holds its port.
#pragma once

#include <sys/epoll.h>

#include <cerrno>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/fd.h"
#include "net/datagram.h"
#include "net/epoll_datagrams.h"
#include "net/xdp/packet.h"

namespace wiremark::net::xdp {

struct Conn : DatagramConn {
  Conn(int socket, void* given, const Envelope& headers, std::size_t sends_on)
      : DatagramConn{.user = given, .fd = socket}, envelope(headers), queue(sends_on) {}

  Envelope envelope;
  std::size_t queue;
};

/// One thread. What the program passes on arrives at the sockets: fragments, and the word that
/// nobody listens (ICMP, RFC 792).
class Conns {
 public:
  explicit Conns(ReactorStats& stats);
  Conns(const Conns&) = delete;
  Conns& operator=(const Conns&) = delete;
  ~Conns();

  /// Errors: there is no epoll, or it takes no more sockets.
  Result<Conn*> add(Fd socket, std::uint16_t port, Conn conn);
  Conn* at(std::uint16_t port) const noexcept { return by_port_[port]; }
  /// Becomes readable when a socket does.
  int fd() const noexcept { return epoll_.get(); }

  /// Delivers what waits in the sockets. False when something may be left: fd() stays readable.
  template <DatagramClient H>
  bool drain(H& handler);

  std::size_t size() const noexcept { return conns_.size(); }
  std::uint64_t dropped() const noexcept;
  /// Datagrams that the sockets delivered.
  std::uint64_t drained() const noexcept { return drained_; }
  template <class F>
  void for_each(F&& visit) {
    for (DatagramConn& conn : conns_) visit(conn);
  }

 private:
  static constexpr int kEvents = 64;

  Fd epoll_;
  Offload offload_{false};
  DatagramBatch batch_;
  std::deque<Conn> conns_;  // A deque: elements do not move as it grows.
  std::vector<Conn*> by_port_;
  std::uint64_t drained_ = 0;
};

template <DatagramClient H>
bool Conns::drain(H& handler) {
  epoll_event events[kEvents];
  const int ready = ::epoll_wait(epoll_.get(), events, kEvents, 0);
  bool all = ready < kEvents;
  for (int i = 0; i < ready; ++i) {
    Conn& conn = *static_cast<Conn*>(events[i].data.ptr);
    const int count = batch_.receive(conn.fd);
    if (count < 0 && count != -EAGAIN) handler.on_datagram_error(conn, -count);
    for (int place = 0; place < count; ++place) {
      ++drained_;
      handler.on_datagram(conn, batch_.received(static_cast<unsigned>(place)));
    }
    all &= count == -EAGAIN;  // An error hides what is behind it.
  }
  return all;
}

}  // namespace wiremark::net::xdp
