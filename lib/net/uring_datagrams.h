// Datagrams for io_uring: multishot receives into buffers that hold the longest datagram, and sends
// that end with the turn that submitted them. Part of a UringReactor, which has one once it has
// UDP.
#pragma once

#include <liburing.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "net/datagram.h"
#include "net/outbox.h"
#include "net/reactor_options.h"
#include "net/udp_message.h"
#include "net/udp_offload.h"
#include "net/uring.h"
#include "net/uring_conn.h"
#include "net/uring_turn.h"

namespace wiremark::net {

/// The UDP sockets of a reactor: bound ones, which anybody may send to, and connected ones.
/// Its completions are marked with UringOp::datagram.
class UringDatagrams {
 public:
  static Result<std::unique_ptr<UringDatagrams>> open(Ring& ring, const ReactorOptions& options,
                                                      UringTurn& turn, ReactorStats& stats);
  ~UringDatagrams();

  /// Receives what anybody sends to a bound socket (io_uring_prep_recvmsg_multishot(3), Linux 6.0).
  void add_bound(Fd socket, const Address& address);
  /// Receives what comes to a connected one.
  DatagramConn& add_connected(Fd socket, void* user);
  /// Sends one datagram over a connected socket, or drops it.
  void send(DatagramConn& conn, Bytes head, Bytes body);
  /// Queues the sends of this turn that have waited for one another.
  void queue_outbox(Nanoseconds now);

  template <Handler H>
  void complete(const io_uring_cqe& cqe, H& handler);
  /// Takes back the buffers of the sends submitted last. True when a socket may have been left
  /// unread, because its receive begins again with the next enter.
  bool end_turn();
  /// Sends what the last turn of a run has queued; what else comes meanwhile is left.
  void send_rest(Nanoseconds now);

  /// Datagrams that the kernel dropped because their socket was full.
  std::uint64_t dropped() const noexcept;
  std::size_t connections() const noexcept { return conns_.size(); }
  std::size_t sockets() const noexcept { return conns_.size() + bound_.size(); }
  template <class F>
  void for_each(F&& visit) {
    for (DatagramConn& conn : conns_) visit(conn);
  }

  /// Lines about it, for a result.
  std::vector<std::string> describe() const;

 private:
  // What a submission was for: the bits above UringOp in its user data. Those above are an index.
  enum class Kind : std::uint64_t { bound, connected, send, rest };
  static constexpr unsigned kOpBits = 3;
  static constexpr unsigned kKindBits = 2;
  static constexpr std::uint64_t kKindMask = 3;
  // The group of its buffers; those of streams are group 0.
  static constexpr unsigned short kGroup = 1;
  static constexpr unsigned kNoBuffer = ~0u;

  // Success makes no completion (IOSQE_CQE_SKIP_SUCCESS): with MSG_DONTWAIT the kernel takes the
  // datagram or refuses it during the submission.
  struct Send {
    OutboxConn* conn;  // Null for an answer.
    std::uint32_t size;
    unsigned buffer;  // The receive buffer that holds the answer.
    // For datagrams that leave together: how many, of which size, what the kernel reads, and the
    // bound socket of answers.
    std::uint32_t count = 1;
    std::uint32_t segment = 0;
    const msghdr* message = nullptr;
    std::size_t socket = 0;
  };

  UringDatagrams(Ring& ring, BufferRing buffers, const ReactorOptions& options, UringTurn& turn,
                 ReactorStats& stats);

  static std::uint64_t data_of(Kind kind, std::uint64_t place) noexcept {
    return (place << kKindBits | static_cast<std::uint64_t>(kind)) << kOpBits |
           static_cast<std::uint64_t>(UringOp::datagram);
  }
  void arm_bound(std::size_t place);
  void arm_connected(std::size_t place);
  void arm(io_uring_sqe& sqe, Kind kind, std::size_t place);
  void queue(io_uring_sqe& sqe, const Send& send);
  static msghdr header_of(io_uring_recvmsg_out& received, const msghdr& shape) noexcept;
  void answer(std::size_t socket, unsigned buffer, const msghdr& header, Bytes bytes);
  void answer(std::size_t socket, unsigned buffer, const msghdr& header, const Run& run);
  void queue_answer(const Send& send, const msghdr& header, Bytes bytes);
  void queue_run(OutboxConn& conn, const Run& run, const std::vector<iovec>& parts);
  const Send* send_failed(std::uint64_t place, int error);
  void send_again(const Send& send, unsigned from);
  void count_together(unsigned datagrams) noexcept;
  void receive_ended(int result);
  bool submit_rest(std::vector<std::pair<std::uint64_t, int>>& refused);

  template <DatagramServer H>
  void received_from_anybody(std::size_t place, const io_uring_cqe& cqe, H& handler);
  template <DatagramServer H>
  bool answer_together(std::size_t place, unsigned buffer, msghdr& header, Bytes all,
                       std::size_t segment, H& handler);
  template <DatagramClient H>
  void received(std::size_t place, const io_uring_cqe& cqe, H& handler);
  template <DatagramClient H>
  void deliver(DatagramConn& conn, unsigned buffer, std::size_t size, H& handler);

  Ring& ring_;
  BufferRing buffers_;
  UringTurn& turn_;
  ReactorStats& stats_;
  msghdr shape_{};  // What a receive asks for besides the bytes: sender and destination.
  // And from a connected socket: the size of those that came together.
  msghdr together_{};
  Offload offload_;
  bool receives_together_ = false;
  Answerable answerable_;
  std::vector<Fd> bound_;
  std::deque<OutboxConn> conns_;  // A deque: elements do not move as it grows.
  Outbox outbox_;                 // Its copies are in the memory of the turn.
  GatherChoice choice_;
  std::vector<Send> sends_[2];  // By parity of the turn: queued now, and just submitted.
  bool left_unread_ = false;    // In this turn.
};

template <Handler H>
void UringDatagrams::complete(const io_uring_cqe& cqe, H& handler) {
  const std::uint64_t data = cqe.user_data >> kOpBits;
  const std::uint64_t place = data >> kKindBits;
  const auto kind = static_cast<Kind>(data & kKindMask);
  if (kind == Kind::send) {
    const Send* lost = send_failed(place, -cqe.res);
    if constexpr (DatagramClient<H>) {
      if (lost && lost->conn) handler.on_datagram_error(*lost->conn, -cqe.res);
    }
    return;
  }
  if constexpr (DatagramServer<H>) {
    if (kind == Kind::bound) return received_from_anybody(place, cqe, handler);
  }
  if constexpr (DatagramClient<H>) {
    if (kind == Kind::connected) return received(place, cqe, handler);
  }
}

template <DatagramServer H>
void UringDatagrams::received_from_anybody(std::size_t place, const io_uring_cqe& cqe, H& handler) {
  if (cqe.flags & IORING_CQE_F_BUFFER) {
    const unsigned buffer = cqe.flags >> IORING_CQE_BUFFER_SHIFT;
    bool lent = false;
    auto* bytes = const_cast<std::byte*>(buffers_.view(buffer, 0).data());
    if (auto* out = io_uring_recvmsg_validate(bytes, cqe.res, &shape_)) {
      const auto* payload = static_cast<std::byte*>(io_uring_recvmsg_payload(out, &shape_));
      stats_.datagrams_in.add();
      stats_.bytes_in.add(out->payloadlen);
      buffers_.filled(static_cast<std::size_t>(cqe.res));
      msghdr header = header_of(*out, shape_);
      const std::size_t segment = out->controllen == kHopsAlone ? 0 : segment_of(header);
      if (!answerable_.prepare(header)) [[unlikely]] {
        stats_.datagrams_refused.add(datagrams_in({payload, out->payloadlen}, segment));
      } else if (segment != 0) {
        lent = answer_together(place, buffer, header, {payload, out->payloadlen}, segment, handler);
      } else if (const auto reply = handler.on_datagram({payload, out->payloadlen})) {
        answer(place, buffer, header, *reply);
        lent = true;
      }
    }
    if (!lent) buffers_.give_back(buffer);
  }
  if (cqe.flags & IORING_CQE_F_MORE) return;
  receive_ended(cqe.res);
  arm_bound(place);
}

// True when the buffer goes back with the sends.
template <DatagramServer H>
bool UringDatagrams::answer_together(std::size_t place, unsigned buffer, msghdr& header, Bytes all,
                                     std::size_t segment, H& handler) {
  count_together(datagrams_in(all, segment));
  bool lent = false;
  answer_each(all, segment, offload_, turn_.memory(), stats_, handler, [&](const Run& run) {
    answer(place, std::exchange(lent, true) ? kNoBuffer : buffer, header, run);
  });
  return lent;
}

template <DatagramClient H>
void UringDatagrams::received(std::size_t place, const io_uring_cqe& cqe, H& handler) {
  DatagramConn& conn = conns_[place];
  const bool has_buffer = cqe.flags & IORING_CQE_F_BUFFER;
  const unsigned buffer = cqe.flags >> IORING_CQE_BUFFER_SHIFT;
  if (cqe.res >= 0) {  // 0 is an empty datagram, which has no buffer.
    stats_.datagrams_in.add();
    if (has_buffer)
      deliver(conn, buffer, static_cast<std::size_t>(cqe.res), handler);
    else
      handler.on_datagram(conn, Bytes());
  }
  if (has_buffer) buffers_.give_back(buffer);
  if (cqe.flags & IORING_CQE_F_MORE) return;
  receive_ended(cqe.res);
  const bool told = cqe.res < 0 && cqe.res != -ENOBUFS && cqe.res != -ECANCELED;
  if (told) handler.on_datagram_error(conn, -cqe.res);
  arm_connected(place);
}

template <DatagramClient H>
void UringDatagrams::deliver(DatagramConn& conn, unsigned buffer, std::size_t size, H& handler) {
  buffers_.filled(size);
  Bytes bytes = buffers_.view(buffer, size);
  std::size_t segment = 0;
  if (receives_together_) {
    auto* start = const_cast<std::byte*>(bytes.data());
    auto* out = io_uring_recvmsg_validate(start, static_cast<int>(size), &together_);
    if (!out) return;
    bytes = {static_cast<std::byte*>(io_uring_recvmsg_payload(out, &together_)), out->payloadlen};
    if (out->controllen != 0) segment = segment_of(header_of(*out, together_));
  }
  stats_.bytes_in.add(bytes.size());
  if (segment == 0) return handler.on_datagram(conn, bytes);
  count_together(datagrams_in(bytes, segment));
  for_each_segment(bytes, segment, [&](Bytes one) { handler.on_datagram(conn, one); });
}

}  // namespace wiremark::net
