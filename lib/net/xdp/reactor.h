// Datagrams of one UDP address over AF_XDP, past the kernel's network stack: to those who ask a
// server there, or to one server that a client asks. Lives on one thread.
#pragma once

#include <poll.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/address.h"
#include "net/attention.h"
#include "net/conn.h"
#include "net/epoll_datagrams.h"
#include "net/reactor_options.h"
#include "net/socket.h"
#include "net/stop.h"
#include "net/taken_until.h"
#include "net/xdp/conns.h"
#include "net/xdp/packet.h"
#include "net/xdp/program.h"
#include "net/xdp/queue.h"

namespace wiremark::net {

/// A bound address, or a connection, has an ordinary UDP socket too, which reserves the port and
/// receives what the program passes on, such as fragments. There are no streams: what opens one is
/// an error.
class XdpReactor {
 public:
  static constexpr const char* kName = "xdp";

  /// Tries a map and a socket. Errors: a missing capability, or a kernel without it.
  static Result<> available();
  static Result<std::unique_ptr<XdpReactor>> open(const ReactorOptions& options);

  Result<Address> listen(const Address& at, const ListenOptions& options);
  Result<Conn*> connect(const Address& to, const ConnectOptions& options, void* user);
  void flush(Conn&) {}
  void close(Conn&, int) {}
  void resume(Conn&) {}
  Fd release(Conn&) { return {}; }
  template <class F>
  void for_each(F&&) {}

  /// Errors: an address of no single interface, or of loopback; an MTU over a frame; more than one
  /// thread or address; what the kernel refuses. Each names the fix.
  Result<Address> bind(const Address& at, const ListenOptions& options);
  std::uint64_t datagrams_dropped() const;

  /// All are to one address and from one of ours, over the interface that the route to it names.
  /// Errors: those of bind() and route_to(), and a second address.
  Result<DatagramConn*> connect_datagrams(const Address& to, const ConnectOptions& options,
                                          void* user);
  /// Leaves with the others of its turn. EMSGSIZE: over the MTU, which the kernel would fragment.
  /// ENOBUFS: all frames are under way.
  int send(DatagramConn& conn, Bytes head, Bytes body);
  template <class F>
  void for_each_datagram_conn(F&& visit) {
    if (conns_) conns_->for_each(visit);
  }

  /// Runs until stop is requested. Errors: stop cannot be watched, or poll(2) failed.
  template <class H>
    requires DatagramServer<H> || DatagramClient<H>
  Result<> run(H& handler, const Stop& stop);

  Nanoseconds now() const noexcept { return now_ns(); }
  Nanoseconds woke() const noexcept { return attention_.woke(); }
  Nanoseconds heard() const noexcept { return attention_.heard(); }
  Gap gap() const noexcept { return attention_.gap(); }
  Nanoseconds taken_until() const noexcept { return taken_until_.get(); }
  Nanoseconds received() const noexcept { return 0; }
  const ReactorStats& stats() const noexcept { return stats_; }
  std::size_t connections() const noexcept { return conns_ ? conns_->size() : 0; }
  /// "AF_XDP on v0, native, copied, 2 receive queues".
  std::vector<std::string> describe() const;

 private:
  // Frames of one queue in a turn, so that it does not starve the others.
  static constexpr std::uint32_t kFramesPerTurn = 64;
  // A loop that need not sleep looks at its rings alone, which is no system call, and asks for the
  // ordinary sockets when it has not for this long: poll(2) takes a fifth of a round trip on veth.
  static constexpr Nanoseconds kLook = 50 * kMicrosecond;
  static constexpr std::uint16_t kReservedPorts = 1'024;

  explicit XdpReactor(const ReactorOptions& options);

  Result<> fits_mtu(int socket, const std::string& interface);
  Result<> take_queues(const std::string& interface, Result<xdp::Program> program, bool asks);
  Result<> begin_asking(const Address& to, const Address& from);
  // True where an ordinary socket may have something.
  Result<bool> wait(Nanoseconds began, Nanoseconds deadline);
  void submit() noexcept;
  template <class H>
  bool drain(H& handler);
  Nanoseconds nap(Nanoseconds start, Nanoseconds until);
  // As Answerable: two servers must not answer each other for ever.
  bool answerable(const xdp::Packet& packet) const noexcept {
    const bool own = packet.from_itself && packet.source_port == packet.destination_port;
    return packet.hops > 1 && packet.source_port >= kReservedPorts && !own;
  }
  template <class H>
  std::uint32_t serve(xdp::Queue& queue, H& handler);
  template <DatagramServer H>
  void answer(xdp::Queue& queue, std::span<std::byte> frame, std::size_t size, H& handler);
  template <DatagramClient H>
  void deliver(xdp::Queue& queue, std::span<std::byte> frame, std::size_t size, H& handler);
  // Returns the length of the frame, 0 where nothing is sent.
  template <DatagramServer H>
  std::size_t answer(std::span<std::byte> frame, std::size_t size, H& handler);

  ReactorOptions options_;
  ReactorStats stats_;
  Waiter waiter_;
  Attention attention_;
  TakenUntil taken_until_;
  Nanoseconds asked_ = 0;
  // What a client asks: one server, from one address of ours.
  struct Asked {
    Address to;
    Address from;
    xdp::Route route;
  };

  EpollDatagrams held_;
  std::unique_ptr<xdp::Conns> conns_;
  std::optional<Asked> asks_;
  std::optional<Error> refused_;  // Why the first connection could not be made, and no other can.
  std::unique_ptr<xdp::Program> program_;
  std::vector<xdp::Queue> queues_;
  // Stop, the ordinary socket or the epoll of several, and the queues.
  std::vector<pollfd> polled_ = {{-1, POLLIN, 0}, {-1, POLLIN, 0}};
  std::string interface_;
  std::size_t mtu_ = 0;
  Nanoseconds looked_ = 0;
  bool polled_all_ = false;  // This turn asked for the ordinary sockets too.
};

template <class H>
  requires DatagramServer<H> || DatagramClient<H>
Result<> XdpReactor::run(H& handler, const Stop& stop) {
  if (auto usable = stop.usable(); !usable) return usable;
  polled_.front().fd = stop.fd();
  attention_.begins(now());
  Nanoseconds deadline = handler.on_turn(now());
  submit();
  Nanoseconds start = now();
  while (!stop.requested()) {
    const auto ordinary = wait(start, deadline);
    if (!ordinary) return std::unexpected(ordinary.error());
    attention_.woke(now());
    bool left = false;
    std::uint32_t events = *ordinary ? 1 : 0;
    for (xdp::Queue& queue : queues_) {
      const std::uint32_t taken = serve(queue, handler);
      left |= taken == kFramesPerTurn;
      events += taken;
    }
    if (*ordinary) left |= !drain(handler);
    if (left)
      taken_until_.left_some({.began = asked_, .share_used = left, .served = queues_.size()},
                             queues_.size());
    else if (polled_all_)
      taken_until_.took_all(asked_);
    const Nanoseconds end =
        events > 0 ? now() : woke();  // Looking alone takes no time to speak of.
    waiter_.saw_events(end, events);
    const std::uint64_t calls = stats_.system_calls.get();
    deadline = handler.on_turn(end);
    submit();
    // Without a system call no time to speak of has passed.
    start = stats_.system_calls.get() == calls ? end : now();
  }
  return {};
}

template <class H>
bool XdpReactor::drain(H& handler) {
  if constexpr (DatagramClient<H>) {
    if (conns_) return conns_->drain(handler);
  }
  if constexpr (DatagramServer<H>) return held_.answer(polled_[1].fd, handler);
  return true;
}

template <class H>
std::uint32_t XdpReactor::serve(xdp::Queue& queue, H& handler) {
  const std::uint32_t count = std::min(queue.received(), kFramesPerTurn);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::size_t size = 0;
    const std::span<std::byte> frame = queue.take(size);
    if constexpr (DatagramServer<H>)
      answer(queue, frame, size, handler);
    else
      deliver(queue, frame, size, handler);
  }
  stats_.system_calls.add(queue.submit());
  return count;
}

template <DatagramServer H>
void XdpReactor::answer(xdp::Queue& queue, std::span<std::byte> frame, std::size_t size,
                        H& handler) {
  if (const std::size_t length = answer(frame, size, handler); length > 0)
    queue.send(frame, length);
  else
    queue.put_back(frame);
}

template <DatagramClient H>
void XdpReactor::deliver(xdp::Queue& queue, std::span<std::byte> frame, std::size_t size,
                         H& handler) {
  const auto packet = xdp::parse(frame.first(size));
  if (xdp::Conn* const conn = packet ? conns_->at(packet->destination_port) : nullptr) {
    stats_.datagrams_in.add();
    stats_.bytes_in.add(packet->size);
    handler.on_datagram(*conn, Bytes(frame.data() + packet->payload, packet->size));
  }
  queue.put_back(frame);
}

template <DatagramServer H>
std::size_t XdpReactor::answer(std::span<std::byte> frame, std::size_t size, H& handler) {
  const auto packet = xdp::parse(frame.first(size));
  if (!packet) return 0;
  stats_.datagrams_in.add();
  stats_.bytes_in.add(packet->size);
  if (!answerable(*packet)) {
    stats_.datagrams_refused.add();
    return 0;
  }
  std::byte* const payload = frame.data() + packet->payload;
  const auto answer = handler.on_datagram(Bytes(payload, packet->size));
  if (!answer) return 0;
  if (packet->payload + answer->size() > xdp::kEthernetHeader + mtu_) {
    stats_.datagrams_unsent.add();
    return 0;
  }
  if (answer->data() != payload && !answer->empty()) {
    std::memmove(payload, answer->data(), answer->size());
    stats_.copied.add(answer->size());
  }
  stats_.datagrams_out.add();
  stats_.bytes_out.add(answer->size());
  return xdp::turn_round(frame, *packet, answer->size());
}

}  // namespace wiremark::net
