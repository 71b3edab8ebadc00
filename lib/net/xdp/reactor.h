// Datagrams of one UDP address over AF_XDP, past the kernel's network stack. Lives on one thread.
#pragma once

#include <poll.h>

#include <algorithm>
#include <cstring>
#include <memory>
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
#include "net/xdp/packet.h"
#include "net/xdp/program.h"
#include "net/xdp/queue.h"

namespace wiremark::net {

/// A bound address has an ordinary UDP socket too, which reserves the port and answers what the
/// program passes on, such as fragments. There are no streams: what opens one is an error.
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

  /// Serves until stop is requested. Errors: stop cannot be watched, or poll(2) failed.
  template <DatagramServer H>
  Result<> run(H& handler, const Stop& stop);

  Nanoseconds now() const noexcept { return now_ns(); }
  Nanoseconds woke() const noexcept { return attention_.woke(); }
  Nanoseconds heard() const noexcept { return attention_.heard(); }
  Nanoseconds gap() const noexcept { return attention_.gap(); }
  Nanoseconds taken_until() const noexcept { return taken_until_.get(); }
  Nanoseconds received() const noexcept { return 0; }
  const ReactorStats& stats() const noexcept { return stats_; }
  std::size_t connections() const noexcept { return 0; }
  /// "AF_XDP on v0, native, copied, 2 receive queues".
  std::vector<std::string> describe() const;

 private:
  // Frames of one queue in a turn, so that it does not starve the others.
  static constexpr std::uint32_t kFramesPerTurn = 64;
  // A loop that need not sleep looks at its rings alone, which is no system call, and asks for the
  // ordinary socket in one of so many turns.
  static constexpr unsigned kLooks = 32;
  static constexpr std::uint16_t kReservedPorts = 1'024;

  explicit XdpReactor(const ReactorOptions& options);

  Result<> take_queues(const Address& bound, const std::string& interface);
  // True where the ordinary socket may have something.
  Result<bool> wait(Nanoseconds began, Nanoseconds deadline);
  Nanoseconds nap(Nanoseconds start, Nanoseconds until);
  // As Answerable: two servers must not answer each other for ever.
  bool answerable(const xdp::Packet& packet) const noexcept {
    const bool own = packet.from_itself && packet.source_port == packet.destination_port;
    return packet.hops > 1 && packet.source_port >= kReservedPorts && !own;
  }
  template <DatagramServer H>
  std::uint32_t answer(xdp::Queue& queue, H& handler);
  // Returns the length of the frame, 0 where nothing is sent.
  template <DatagramServer H>
  std::size_t answer(std::span<std::byte> frame, std::size_t size, H& handler);

  ReactorOptions options_;
  ReactorStats stats_;
  Waiter waiter_;
  Attention attention_;
  TakenUntil taken_until_;
  Nanoseconds asked_ = 0;
  EpollDatagrams held_;
  std::unique_ptr<xdp::Program> program_;
  std::vector<xdp::Queue> queues_;
  std::vector<pollfd> polled_;  // Stop, the ordinary socket, and the queues.
  std::string interface_;
  std::size_t mtu_ = 0;
  unsigned looks_ = 0;
};

template <DatagramServer H>
Result<> XdpReactor::run(H& handler, const Stop& stop) {
  if (auto usable = stop.usable(); !usable) return usable;
  if (!polled_.empty()) polled_.front().fd = stop.fd();
  Nanoseconds start = now();
  attention_.begins(start);
  Nanoseconds deadline = handler.on_turn(start);
  start = now();
  while (!stop.requested()) {
    const auto ordinary = wait(start, deadline);
    if (!ordinary) return std::unexpected(ordinary.error());
    attention_.woke(now());
    bool left = false;
    std::uint32_t events = *ordinary ? 1 : 0;
    for (xdp::Queue& queue : queues_) {
      const std::uint32_t taken = answer(queue, handler);
      left |= taken == kFramesPerTurn;
      events += taken;
    }
    if (*ordinary) left |= !held_.answer(polled_[1].fd, handler);
    if (left)
      taken_until_.left_some({.began = asked_, .share_used = left, .served = queues_.size()},
                             queues_.size());
    else
      taken_until_.took_all(asked_);
    const Nanoseconds end = now();
    waiter_.saw_events(end, events);
    deadline = handler.on_turn(end);
    start = end;
  }
  return {};
}

template <DatagramServer H>
std::uint32_t XdpReactor::answer(xdp::Queue& queue, H& handler) {
  const std::uint32_t count = std::min(queue.received(), kFramesPerTurn);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::size_t size = 0;
    const std::span<std::byte> frame = queue.take(size);
    if (const std::size_t length = answer(frame, size, handler); length > 0)
      queue.send(frame, length);
    else
      queue.put_back(frame);
  }
  stats_.system_calls.add(queue.submit());
  return count;
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
