// How bytes of streams leave an io_uring reactor: from where they lie, or copied behind what is
// still under way.
#include "net/uring_sends.h"

#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "net/uring_compat.h"

namespace wiremark::net {

namespace {

// A send from where the bytes lie takes what has room in the socket and says how much.
constexpr int kLentFlags = MSG_NOSIGNAL | MSG_DONTWAIT | MSG_WAITALL;

}  // namespace

bool UringSends::flush(UringConn& conn) {
  if (conn.turn == turn_.number() || conn.sending) {
    if (may_join(conn)) {
      join(conn);
      return false;
    }
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

// The connection's lent bytes, with the buffer that must stay until they have left.
UringSends::LentSend UringSends::take_lent(UringConn& conn) {
  const bool keeps =
      delivering_ != kNoBuffer && !delivering_lent_ && buffers_.holds(delivering_, conn.lent_data);
  const LentSend send{&conn, conn.lent_data, conn.lent_size, keeps ? delivering_ : kNoBuffer};
  delivering_lent_ |= keeps;
  conn.lent_size = 0;
  stats_.bytes_out.add(send.size);
  return send;
}

// Of the turn's list; returns its place. What was queued before stands no longer at the end.
std::size_t UringSends::add(const LentSend& send) {
  auto& queued = lent_[turn_.parity()];
  queued.push_back(send);
  latest_.conn = nullptr;
  return queued.size() - 1;
}

void UringSends::send_lent(UringConn& conn) {
  const LentSend send = take_lent(conn);
  const std::size_t zero_copy_min = ring_.active().zero_copy_min;
  const bool copied = zero_copy_min == 0 || send.size < zero_copy_min;
  io_uring_sqe& sqe = copied ? queue_lent(send) : queue_zero_copy(send);
  conn.mark_file(sqe);
  conn.turn = turn_.number();
  if (!copied) return;
  latest_ = {&conn, &sqe, lent_[turn_.parity()].size() - 1, ring_.submissions(), nullptr};
}

// Whether what the connection lends can leave with the send before.
bool UringSends::may_join(const UringConn& conn) const noexcept {
  return latest_.conn == &conn && conn.lent_size > 0 && !conn.until_flush && !conn.sending &&
         latest_.submissions == ring_.submissions() &&
         (!latest_.gathered || latest_.gathered->message.msg_iovlen < kPartsMax);
}

void UringSends::join(UringConn& conn) {
  auto& queued = lent_[turn_.parity()];
  const auto vector_of = [](const LentSend& send) {
    return iovec{const_cast<std::byte*>(send.data), send.size};
  };
  if (!latest_.gathered) {
    latest_.gathered = ::new (turn_.memory().take(sizeof(Gathered))) Gathered;
    latest_.gathered->message = {};
    latest_.gathered->message.msg_iov = latest_.gathered->parts;
    latest_.gathered->message.msg_iovlen = 1;
    latest_.gathered->parts[0] = vector_of(queued[latest_.place]);
    io_uring_sqe& sqe = *latest_.entry;
    const std::uint64_t data = sqe.user_data;
    io_uring_prep_sendmsg(&sqe, conn.file(), &latest_.gathered->message, kLentFlags);
    sqe.flags |= IOSQE_CQE_SKIP_SUCCESS;
    conn.mark_file(sqe);
    io_uring_sqe_set_data64(&sqe, data);
  }
  LentSend part = take_lent(conn);
  part.conn = nullptr;
  latest_.gathered->parts[latest_.gathered->message.msg_iovlen++] = vector_of(part);
  queued.push_back(part);
  ++joined_;
}

// The send that a completion belongs to, and the parts that joined it.
std::span<const UringSends::LentSend> UringSends::lent_by(const io_uring_cqe& cqe) const noexcept {
  const std::size_t place = cqe.user_data >> 4;
  if (op_of(cqe) == UringOp::zero_copy) return {&zero_copies_[place], 1};
  const std::span<const LentSend> list = lent_[parity_of(cqe)];
  std::size_t end = place + 1;
  while (end < list.size() && !list[end].conn) ++end;
  return list.subspan(place, end - place);
}

io_uring_sqe& UringSends::queue_lent(const LentSend& send) {
  io_uring_sqe& sqe = ring_.entry();
  io_uring_prep_send(&sqe, send.conn->file(), send.data, send.size, kLentFlags);
  sqe.flags |= IOSQE_CQE_SKIP_SUCCESS;
  io_uring_sqe_set_data64(&sqe, lent_data(add(send), UringOp::lent_send));
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
  io_uring_prep_send_zc(&sqe, send.conn->file(), send.data, send.size, kLentFlags, 0);
  sqe.ioprio |= kReportUsage;
  io_uring_sqe_set_data64(&sqe, lent_data(place, UringOp::zero_copy));
  add({send.conn, send.data, send.size, kNoBuffer});
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
    setback = failed({&send, 1}, cqe.res);
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
UringSends::Setback UringSends::failed(std::span<const LentSend> parts, int result) {
  if (result == kHandled) return {};
  UringConn& conn = *parts.front().conn;
  std::size_t taken = static_cast<std::size_t>(std::max(result, 0)), left = 0;
  for (const LentSend& part : parts) left += part.size;
  left -= taken;
  if (left == 0) return {};
  stats_.bytes_out.add(-left);
  if (!conn.alive()) return {};
  if (result < 0 && result != -EAGAIN && result != -EINTR) return {&conn, -result};
  for (const LentSend& part : parts) {
    const std::size_t gone = std::min<std::size_t>(taken, part.size);
    conn.flight.append(Bytes(part.data, part.size).subspan(gone));
    taken -= gone;
  }
  if (parts.front().buffer != kCopied) stats_.copied.add(left);
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
  buffers_.hold_long(2 * joined_ > lent_[turn_.parity()].size());
  joined_ = 0;
}

}  // namespace wiremark::net
