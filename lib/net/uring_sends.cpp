// How bytes leave a UringReactor: from where they lie, or copied behind what is still under way.
#include <sys/socket.h>

#include <algorithm>

#include "net/uring_compat.h"
#include "net/uring_reactor.h"

namespace wiremark::net {

namespace {

bool is_notification(const io_uring_cqe& cqe) { return cqe.flags & IORING_CQE_F_NOTIF; }

}  // namespace

// The failures of the sends just submitted may stand behind deliveries: of an earlier submission in
// mid-turn, or of a receive armed beside them. They go first, so that nothing a delivery sends
// overtakes the rest of such a send. Failures of this turn's own sends are met in the queue's
// order.
void UringReactor::collect_failed_sends(std::uint64_t parity) {
  if (lent_[parity].empty()) return;
  io_uring_cqe* cqe;
  unsigned head;
  io_uring_for_each_cqe(ring_.get(), head, cqe) {
    const auto op = static_cast<Op>(cqe->user_data & kUringOpMask);
    const bool lent = op == Op::lent_send || (op == Op::zero_copy && !is_notification(*cqe));
    if (!lent || (cqe->user_data >> 3 & 1) != parity) continue;
    const LentSend& send = lent_by(cqe->user_data);
    lent_send_failed(send, cqe->res);
    cqe->res = static_cast<int>(send.size);
  }
}

void UringReactor::flush(Conn& flushed) {
  UringConn& conn = own(flushed);
  if (!conn.alive() || conn.queued) return conn.copy_lent();
  if (conn.turn == turn_ || !conn.flight.empty()) {
    // An earlier send is not known to have left whole; a second one could overtake its rest.
    conn.copy_lent();
    if (conn.flight.empty() && !conn.out.empty()) {
      conn.queued = true;
      later_.push_back(&conn);
    }
  } else if (conn.lent_size > 0 && !conn.until_flush) {
    send_lent(conn);
  } else if (conn.lent_size > 0 || !conn.out.empty()) {
    send_copy(conn);
  }
  check_output(conn);
}

void UringReactor::send_lent(UringConn& conn) {
  const Bytes bytes = conn.lent();
  const bool keeps =
      delivering_ != kNoBuffer && !delivering_lent_ && buffers_.holds(delivering_, bytes.data());
  const LentSend send{&conn, bytes.data(), conn.lent_size, keeps ? delivering_ : kNoBuffer};
  const std::size_t zero_copy_min = ring_.active().zero_copy_min;
  io_uring_sqe& sqe =
      zero_copy_min > 0 && bytes.size() >= zero_copy_min ? queue_zero_copy(send) : queue_lent(send);
  conn.mark_file(sqe);
  delivering_lent_ |= keeps;
  conn.turn = turn_;
  conn.lent_size = 0;
  stats_.bytes_out.add(bytes.size());
}

io_uring_sqe& UringReactor::queue_lent(const LentSend& send) {
  auto& queued = lent_[turn_ & 1];
  io_uring_sqe& sqe = ring_.entry();
  io_uring_prep_send(&sqe, send.conn->file(), send.data, send.size,
                     MSG_NOSIGNAL | MSG_DONTWAIT | MSG_WAITALL);
  sqe.flags |= IOSQE_CQE_SKIP_SUCCESS;
  io_uring_sqe_set_data64(&sqe, lent_data(queued.size(), Op::lent_send));
  queued.push_back(send);
  return sqe;
}

// A second completion says when the kernel needs the memory no more, which may be long after.
io_uring_sqe& UringReactor::queue_zero_copy(const LentSend& send) {
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
  io_uring_sqe_set_data64(&sqe, lent_data(place, Op::zero_copy));
  lent_[turn_ & 1].push_back({send.conn, send.data, send.size, kNoBuffer});
  ++send.conn->operations;
  return sqe;
}

void UringReactor::zero_copy_over(const io_uring_cqe& cqe) {
  const std::size_t place = cqe.user_data >> 4;
  const LentSend send = zero_copies_[place];
  if (is_notification(cqe)) {
    stats_.zero_copy.add();
    if (static_cast<unsigned>(cqe.res) & kUsageCopied) stats_.zero_copy_not.add();
  } else {
    lent_send_failed(send, cqe.res);
    if (cqe.flags & IORING_CQE_F_MORE) return;
  }
  if (send.buffer != kNoBuffer) buffers_.give_back(send.buffer);
  zero_copy_free_.push_back(static_cast<std::uint32_t>(place));
  if (--send.conn->operations == 0) dead_wait_for_turn_ |= !send.conn->alive();
}

// A copy leaves as lent bytes do, from the outbox. What has no room there waits in the kernel for
// room in the socket, and costs a completion, and with it a turn.
void UringReactor::send_copy(UringConn& conn) {
  const Bytes bytes = conn.lent_size > 0 ? conn.lent() : conn.out.view();
  stats_.copied.add(bytes.size());
  const Bytes copy = outboxes_[turn_ & 1].copy(bytes);
  if (copy.empty()) {
    conn.copy_lent();
    std::swap(conn.flight, conn.out);
    conn.sending = true;
    return arm(Op::send, conn);
  }
  conn.lent_size = 0;
  conn.out.clear();
  conn.turn = turn_;
  conn.mark_file(
      queue_lent({&conn, copy.data(), static_cast<std::uint32_t>(copy.size()), kNoBuffer}));
  stats_.bytes_out.add(copy.size());
}

// A short count, or EAGAIN where nothing fitted: the rest goes the way that waits.
void UringReactor::lent_send_failed(const LentSend& send, int result) {
  UringConn& conn = *send.conn;
  const std::size_t left = send.size - static_cast<std::size_t>(std::max(result, 0));
  if (left == 0) return;
  stats_.bytes_out.add(-left);
  if (!conn.alive()) return;
  if (result < 0 && result != -EAGAIN && result != -EINTR) return close(conn, -result);
  conn.flight.append(Bytes(send.data, send.size).last(left));
  conn.sending = true;
  const bool copied = outboxes_[0].holds(send.data) || outboxes_[1].holds(send.data);
  if (!copied) stats_.copied.add(left);
  arm(Op::send, conn);
  check_output(conn);
}

void UringReactor::sent(UringConn& conn, int result) {
  if (result > 0) {
    stats_.bytes_out.add(static_cast<std::size_t>(result));
    conn.flight.consume(static_cast<std::size_t>(result));
    conn.sending = !conn.flight.empty();
  }
  if (!conn.alive()) return;
  if (result < 0 && result != -EINTR) return close(conn, -result);
  if (!conn.flight.empty()) return arm(Op::send, conn);
  flush(conn);
}

// Applies the output limit, and ends a finished connection whose last byte has left.
void UringReactor::check_output(UringConn& conn) {
  if (conn.state == Conn::State::finishing && conn.unsent() == 0 && conn.turn != turn_)
    return close(conn, 0);
  if (conn.state == Conn::State::finishing && conn.unsent() == 0 && !conn.queued) {
    conn.queued = true;
    later_.push_back(&conn);
  }
  if (!conn.over_limit && conn.unsent() > options_.output_limit) {
    conn.over_limit = true;
    stats_.pauses.add();
    if (!conn.reading) return;
    cancel(Op::receive, conn);
  } else if (conn.over_limit && conn.unsent() <= options_.output_limit / 2) {
    conn.over_limit = false;
    if (!conn.reading && !conn.paused && conn.state == Conn::State::open) arm_receive(conn);
  }
}

}  // namespace wiremark::net
