// How bytes of streams leave an io_uring reactor: from where they lie, or copied behind what is
// still under way. Part of a UringReactor.
#pragma once

#include <liburing.h>

#include <climits>
#include <cstdint>
#include <span>
#include <vector>

#include "net/reactor_options.h"
#include "net/uring.h"
#include "net/uring_conn.h"
#include "net/uring_turn.h"

namespace wiremark::net {

/// Most sends make a completion only when they fail. So when the turn that submitted them has
/// passed without one, the memory that they read from is free.
class UringSends {
 public:
  /// The most memory for the copies of one turn: 500 answers of half a kilobyte. What does not fit
  /// is sent from `flight`.
  static constexpr std::size_t kCopiesMax = 256 << 10;

  UringSends(Ring& ring, BufferRing& buffers, UringTurn& turn, ReactorStats& stats)
      : ring_(ring), buffers_(buffers), turn_(turn), stats_(stats) {}

  /// Called around the delivery of a buffer, which goes back to the kernel unless a send uses it.
  void begin_delivery(unsigned buffer) noexcept {
    delivering_ = buffer;
    delivering_lent_ = false;
  }
  void end_delivery() noexcept {
    if (!delivering_lent_) buffers_.give_back(delivering_);
    delivering_ = kNoBuffer;
  }

  /// Queues what the connection has appended and lent: what it lends several times in a row, as a
  /// long message that fills many buffers is, leaves in one send. True when some of it must wait
  /// for the next turn.
  bool flush(UringConn& conn);

  /// What a completion means for a connection: the errno that ends it, or 0 if more is unsent than
  /// before. A null connection: nothing.
  struct Setback {
    UringConn* conn = nullptr;
    int error = 0;
  };
  /// For the completion of a lent send; only those that failed have one.
  Setback lent_send_over(const io_uring_cqe& cqe) { return failed(lent_by(cqe), cqe.res); }
  /// For either completion of a send without a copy.
  Setback zero_copy_over(const io_uring_cqe& cqe);
  UringConn& conn_of_zero_copy(const io_uring_cqe& cqe) const noexcept {
    return *lent_by(cqe).front().conn;
  }
  /// For the completion of a send from `flight`; returns the errno that ends the connection, or 0.
  int sent(UringConn& conn, int result);

  /// Call it when a turn has been submitted: tells setback(Setback) of the sends that failed. Their
  /// completions may be queued behind deliveries, of an earlier submission in mid-turn or of a
  /// receive armed beside them. They are handled first, so that nothing that a delivery sends
  /// overtakes the remainder of such a send. Failures of this turn's own sends are handled in the
  /// order of the queue.
  template <class F>
  void collect_failed(F&& setback);
  /// Takes back the memory of the sends just submitted.
  void end_turn();
  /// Whether the connection's last send was gathered, and in this turn.
  bool gathers(const UringConn& conn) const noexcept {
    return latest_.conn == &conn && latest_.gathered;
  }

 private:
  static constexpr unsigned kNoBuffer = ~0u;
  static constexpr int kHandled = INT_MAX;  // In place of the result of a send that failed.
  static constexpr unsigned kCopied = ~1u;  // Not in a receive buffer: in the memory of its turn.

  // The parts of a gathered send stand behind one another in their list, so only the last send
  // there may have more.
  struct LentSend {
    UringConn* conn;  // Null: a part of the send before.
    const std::byte* data;
    std::uint32_t size;
    unsigned buffer;  // The receive buffer that holds it.
  };

  // Twice the buffers that one receive fills before the next connection has its turn.
  static constexpr std::size_t kPartsMax = 64;
  // What the kernel reads when it takes the entry of a gathered send.
  struct Gathered {
    msghdr message;
    iovec parts[kPartsMax];
  };
  // The send that was queued last, to which its connection may add.
  struct Latest {
    UringConn* conn = nullptr;  // Null: none that may be added to.
    io_uring_sqe* entry = nullptr;
    std::size_t place = 0;          // Where it begins in its list.
    std::uint64_t submissions = 0;  // Of the ring when it was queued: it may be gone since.
    Gathered* gathered = nullptr;   // In the memory of the turn; null while it has one part.
  };

  static UringOp op_of(const io_uring_cqe& cqe) noexcept {
    return static_cast<UringOp>(cqe.user_data & kUringOpMask);
  }
  static std::uint32_t parity_of(const io_uring_cqe& cqe) noexcept {
    return cqe.user_data >> 3 & 1;
  }
  static bool is_notification(const io_uring_cqe& cqe) noexcept {
    return cqe.flags & IORING_CQE_F_NOTIF;
  }
  // The user data of a lent send: its index in a list, the parity of its turn, and the operation.
  std::uint64_t lent_data(std::size_t place, UringOp op) const noexcept {
    return place << 4 | turn_.parity() << 3 | static_cast<std::uint64_t>(op);
  }
  std::span<const LentSend> lent_by(const io_uring_cqe& cqe) const noexcept;

  LentSend take_lent(UringConn& conn);
  std::size_t add(const LentSend& send);
  void send_lent(UringConn& conn);
  bool may_join(const UringConn& conn) const noexcept;
  void join(UringConn& conn);
  void send_copy(UringConn& conn);
  void send_flight(UringConn& conn);
  io_uring_sqe& queue_lent(const LentSend& send);
  io_uring_sqe& queue_zero_copy(const LentSend& send);
  Setback failed(std::span<const LentSend> parts, int result);

  Ring& ring_;
  BufferRing& buffers_;
  UringTurn& turn_;
  ReactorStats& stats_;
  unsigned delivering_ = kNoBuffer;  // The buffer that on_data is reading.
  bool delivering_lent_ = false;     // Whether a send uses it.
  Latest latest_;
  std::size_t joined_ = 0;             // Parts that joined a send, in this turn.
  std::vector<LentSend> lent_[2];      // By parity of the turn: queued now, and just submitted.
  std::vector<LentSend> zero_copies_;  // Until the kernel reports that it no longer needs them.
  std::vector<std::uint32_t> zero_copy_free_;  // Free entries of zero_copies_.
};

template <class F>
void UringSends::collect_failed(F&& setback) {
  latest_.conn = nullptr;
  const std::uint32_t parity = turn_.submitted_parity();
  if (lent_[parity].empty()) return;
  io_uring_cqe* cqe;
  unsigned head;
  io_uring_for_each_cqe(ring_.get(), head, cqe) {
    const UringOp op = op_of(*cqe);
    const bool lent =
        op == UringOp::lent_send || (op == UringOp::zero_copy && !is_notification(*cqe));
    if (!lent || parity_of(*cqe) != parity) continue;
    const int result = std::exchange(cqe->res, kHandled);
    setback(failed(lent_by(*cqe), result));
  }
}

}  // namespace wiremark::net
