// Datagrams for io_uring: multishot receives into buffers that hold the longest, and sends that are
// over when the turn that submitted them is. Part of a UringReactor, which has one once it has UDP.
#pragma once

#include <liburing.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/arena.h"
#include "base/fd.h"
#include "net/datagram.h"
#include "net/reactor_options.h"
#include "net/uring.h"
#include "net/uring_conn.h"

namespace wiremark::net {

class UringDatagrams {
 public:
  /// The group of its buffers; those of streams are group 0.
  static constexpr unsigned short kGroup = 1;

  /// Entries that it makes have `tag` in the low 3 bits of their user data.
  static Result<std::unique_ptr<UringDatagrams>> open(Ring& ring, unsigned buffers,
                                                      std::uint64_t tag, ReactorStats& stats);

  /// Receives what anybody sends to a bound socket (io_uring_prep_recvmsg_multishot(3), Linux 6.0).
  void listen(Fd socket);
  /// Sends one datagram over a connection, or not at all; the copy lasts until the turn is over.
  void send(UringConn& conn, Bytes head, Bytes body, std::uint32_t turn);

  /// For a completion that bears the tag. `turn` is the reactor's, as for all that follow.
  template <Handler H>
  void complete(const io_uring_cqe& cqe, std::uint32_t turn, H& handler);
  /// For a completion of a connection's receive: delivers it. True when that has ended.
  template <Handler H>
  bool received(Conn& conn, const io_uring_cqe& cqe, H& handler);
  /// Takes back the memory of what the last turn has submitted.
  void end_turn(std::uint32_t turn);

  /// Datagrams that came and found no room in a socket that it listens on.
  std::uint64_t dropped() const noexcept;

  /// A line for the path in a result.
  std::string describe() const;

 private:
  // What an entry was for, above the tag in its user data; the rest is a place in a list.
  enum class Kind : std::uint64_t { receive, send };
  static constexpr unsigned kTagBits = 3;
  static constexpr unsigned kKindBits = 1;
  static constexpr unsigned kParityBits = 1;
  static constexpr unsigned kNoBuffer = ~0u;

  // Success makes no completion (IOSQE_CQE_SKIP_SUCCESS): with MSG_DONTWAIT the kernel has taken a
  // datagram, or has refused it, when the entry has been submitted.
  struct Send {
    Conn* conn;  // Null for an answer.
    std::uint32_t size;
    unsigned buffer;  // That the answer lies in.
  };

  UringDatagrams(Ring& ring, BufferRing buffers, std::uint64_t tag, ReactorStats& stats);

  std::uint64_t data_of(Kind kind, std::uint32_t parity, std::size_t place) const noexcept;
  void arm(std::size_t socket);
  void queue(io_uring_sqe& sqe, const Send& send, std::uint32_t turn);
  void answer(std::size_t socket, unsigned buffer, io_uring_recvmsg_out& received, Bytes bytes,
              std::uint32_t turn);
  const Send& send_failed(std::uint64_t data);
  void receive_ended(int result);

  Ring& ring_;
  BufferRing buffers_;
  std::uint64_t tag_;
  ReactorStats& stats_;
  msghdr shape_{};  // What a receive asks for besides the bytes: sender and destination.
  std::vector<Fd> sockets_;
  std::vector<Send> sends_[2];  // By parity of the turn: queued now, and just submitted.
  Arena memory_[2];             // The same: message headers, and bytes that lie nowhere else.
};

template <Handler H>
void UringDatagrams::complete(const io_uring_cqe& cqe, std::uint32_t turn, H& handler) {
  const std::uint64_t data = cqe.user_data >> kTagBits;
  if (static_cast<Kind>(data & 1) == Kind::send) {
    const Send& send = send_failed(data);
    if constexpr (DatagramClient<H>) {
      if (send.conn && send.conn->alive()) handler.on_datagram_error(*send.conn, -cqe.res);
    }
    return;
  }
  const auto socket = static_cast<std::size_t>(data >> (kKindBits + kParityBits));
  if (cqe.flags & IORING_CQE_F_BUFFER) {
    const unsigned buffer = cqe.flags >> IORING_CQE_BUFFER_SHIFT;
    bool lent = false;
    if constexpr (DatagramHandler<H>) {
      auto* bytes = const_cast<std::byte*>(buffers_.view(buffer, 0).data());
      if (auto* out = io_uring_recvmsg_validate(bytes, cqe.res, &shape_)) {
        const auto* payload = static_cast<std::byte*>(io_uring_recvmsg_payload(out, &shape_));
        stats_.datagrams_in.add();
        stats_.bytes_in.add(out->payloadlen);
        buffers_.filled(static_cast<std::size_t>(cqe.res));
        if (const auto reply = handler.on_datagram({payload, out->payloadlen})) {
          answer(socket, buffer, *out, *reply, turn);
          lent = true;
        }
      }
    }
    if (!lent) buffers_.give_back(buffer);
  }
  if (cqe.flags & IORING_CQE_F_MORE) return;
  receive_ended(cqe.res);
  arm(socket);
}

template <Handler H>
bool UringDatagrams::received(Conn& conn, const io_uring_cqe& cqe, H& handler) {
  const bool has_buffer = cqe.flags & IORING_CQE_F_BUFFER;
  const unsigned buffer = cqe.flags >> IORING_CQE_BUFFER_SHIFT;
  if (cqe.res >= 0 && conn.alive()) {  // None is an empty datagram, and comes without a buffer.
    const auto size = static_cast<std::size_t>(cqe.res);
    stats_.datagrams_in.add();
    stats_.bytes_in.add(size);
    buffers_.filled(size);
    handler.on_data(conn, has_buffer ? buffers_.view(buffer, size) : Bytes());
  }
  if (has_buffer) buffers_.give_back(buffer);
  if (cqe.flags & IORING_CQE_F_MORE) return false;
  receive_ended(cqe.res);
  if constexpr (DatagramClient<H>) {
    const bool told = cqe.res < 0 && cqe.res != -ENOBUFS && cqe.res != -ECANCELED;
    if (told && conn.alive()) handler.on_datagram_error(conn, -cqe.res);
  }
  return true;
}

}  // namespace wiremark::net
