// How bytes of streams leave an io_uring reactor: from where they lie, or copied behind what is
// still under way.
#include "net/uring_sends.h"

#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "net/uring_compat.h"

namespace wiremark::net {

bool UringSends::flush(UringConn& conn) {
  if (conn.turn == turn_.number() || conn.sending) {
    // An earlier send may have left in part; a second one could overtake the remainder.
    conn.copy_lent();
    return !conn.sending && !conn.out.empty();
  }
  if (conn.lent_size > 0 && !conn.until_flush)
    send_lent(conn);
  else if (conn.lent_size > 0 || !conn.out.empty())
    send_copy(conn);
  return false;
}

void UringSends::send_lent(UringConn& conn) {
  const Bytes bytes = conn.lent();
  const bool keeps =
      delivering_ != kNoBuffer && !delivering_lent_ && buffers_.holds(delivering_, bytes.data());
  const LentSend send{&conn, bytes.data(), conn.lent_size, keeps ? delivering_ : kNoBuffer};
  const std::size_t zero_copy_min = ring_.active().zero_copy_min;
  io_uring_sqe& sqe =
      zero_copy_min > 0 && bytes.size() >= zero_copy_min ? queue_zero_copy(send) : queue_lent(send);
  conn.mark_file(sqe);
  delivering_lent_ |= keeps;
  conn.turn = turn_.number();
  conn.lent_size = 0;
  stats_.bytes_out.add(bytes.size());
}

io_uring_sqe& UringSends::queue_lent(const LentSend& send) {
  io_uring_sqe& sqe = ring_.entry();
  io_uring_prep_send(&sqe, send.conn->file(), send.data, send.size,
                     MSG_NOSIGNAL | MSG_DONTWAIT | MSG_WAITALL);
  sqe.flags |= IOSQE_CQE_SKIP_SUCCESS;
  auto& queued = lent_[turn_.parity()];
  io_uring_sqe_set_data64(&sqe, lent_data(queued.size(), UringOp::lent_send));
  queued.push_back(send);
  return sqe;
}

// A second completion tells when the kernel no longer needs the memory, which may be much later.
io_uring_sqe& UringSends::queue_zero_copy(const LentSend& send) {
  if (zero_copy_free_.empty()) {
    zero_copy_free_.push_back(static_cast<std::uint32_t>(zero_copies_.size()));
    zero_copies_.emplace_back();
  }
  const std::size_t place = zero_copy_free_.back();
  zero_copy_free_.pop_back();
  zero_copies_[place] = send;
  io_uring_sqe& sqe = ring_.entry();
  io_uring_prep_send_zc(&sqe, send.conn->file(), send.data, send.size,
                        MSG_NOSIGNAL | MSG_DONTWAIT | MSG_WAITALL, 0);
  sqe.ioprio |= kReportUsage;
  io_uring_sqe_set_data64(&sqe, lent_data(place, UringOp::zero_copy));
  lent_[turn_.parity()].push_back({send.conn, send.data, send.size, kNoBuffer});
  ++send.conn->operations;
  return sqe;
}

UringSends::Setback UringSends::zero_copy_over(const io_uring_cqe& cqe) {
  const std::size_t place = cqe.user_data >> 4;
  const LentSend send = zero_copies_[place];
  Setback setback;
  if (is_notification(cqe)) {
    stats_.zero_copy.add();
    if (static_cast<unsigned>(cqe.res) & kUsageCopied) stats_.zero_copy_not.add();
  } else {
    setback = failed(send, cqe.res);
    if (cqe.flags & IORING_CQE_F_MORE) return setback;
  }
  if (send.buffer != kNoBuffer) buffers_.give_back(send.buffer);
  zero_copy_free_.push_back(static_cast<std::uint32_t>(place));
  --send.conn->operations;
  return setback;
}

// A copy in the memory of the turn is sent like lent bytes. What has no room there is sent from
// `flight`, which waits in the kernel for room in the socket and costs a completion, and with it a
// turn.
void UringSends::send_copy(UringConn& conn) {
  const Bytes bytes = conn.lent_size > 0 ? conn.lent() : conn.out.view();
  stats_.copied.add(bytes.size());
  Arena& memory = turn_.memory();
  if (memory.used() + bytes.size() > kCopiesMax) {
    conn.copy_lent();
    std::swap(conn.flight, conn.out);
    return send_flight(conn);
  }
  const Bytes copy = memory.copy(bytes);
  conn.lent_size = 0;
  conn.out.clear();
  conn.turn = turn_.number();
  conn.mark_file(
      queue_lent({&conn, copy.data(), static_cast<std::uint32_t>(copy.size()), kCopied}));
  stats_.bytes_out.add(copy.size());
}

void UringSends::send_flight(UringConn& conn) {
  conn.sending = true;
  const Bytes bytes = conn.flight.view();
  io_uring_sqe& sqe = ring_.entry();
  io_uring_prep_send(&sqe, conn.file(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_WAITALL);
  conn.mark_file(sqe);
  io_uring_sqe_set_data64(&sqe, data_of(conn, UringOp::send));
  ++conn.operations;
}

// After a short count, or EAGAIN, the remainder goes to `flight`, whose send waits for room.
UringSends::Setback UringSends::failed(const LentSend& send, int result) {
  UringConn& conn = *send.conn;
  const std::size_t left = send.size - static_cast<std::size_t>(std::max(result, 0));
  if (left == 0) return {};
  stats_.bytes_out.add(-left);
  if (!conn.alive()) return {};
  if (result < 0 && result != -EAGAIN && result != -EINTR) return {&conn, -result};
  conn.flight.append(Bytes(send.data, send.size).last(left));
  if (send.buffer != kCopied) stats_.copied.add(left);
  send_flight(conn);
  return {&conn, 0};
}

int UringSends::sent(UringConn& conn, int result) {
  if (result > 0) {
    stats_.bytes_out.add(static_cast<std::size_t>(result));
    conn.flight.consume(static_cast<std::size_t>(result));
    conn.sending = !conn.flight.empty();
  }
  if (!conn.alive()) return 0;
  if (result < 0 && result != -EINTR) return -result;
  if (conn.sending) send_flight(conn);
  return 0;
}

void UringSends::end_turn() {
  auto& submitted = lent_[turn_.submitted_parity()];
  for (const LentSend& send : submitted) {
    if (send.buffer < kCopied) buffers_.give_back(send.buffer);
  }
  submitted.clear();
}

}  // namespace wiremark::net
