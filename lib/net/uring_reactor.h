// Completions as they come: multishot accept and receive, buffers picked by the kernel, one enter
// a turn that submits the last turn's sends and collects the next deliveries.
// Lives on one thread from open() to its end.
#pragma once

#include <algorithm>
#include <cassert>
#include <memory>
#include <string>
#include <vector>

#include "base/fd.h"
#include "net/accept_pause.h"
#include "net/address.h"
#include "net/attention.h"
#include "net/conn_pool.h"
#include "net/handler.h"
#include "net/mover.h"
#include "net/reactor_options.h"
#include "net/receive_clock.h"
#include "net/resumed.h"
#include "net/socket.h"
#include "net/stop.h"
#include "net/taken_until.h"
#include "net/upkeep.h"
#include "net/uring.h"
#include "net/uring_conn.h"
#include "net/uring_datagrams.h"
#include "net/uring_rechecks.h"
#include "net/uring_sends.h"
#include "net/uring_turn.h"

namespace wiremark::net {

/// What its calls do stands in concepts.h; handlers see it through the views of views.h.
class UringReactor {
 public:
  static constexpr const char* kName = "uring";

  /// Tries whether this kernel allows this process all that the reactor needs.
  static Result<> available();
  static Result<std::unique_ptr<UringReactor>> open(const ReactorOptions& options);
  ~UringReactor();

  Result<Address> listen(const Address& at, const ListenOptions& options);
  Result<Conn*> connect(const Address& to, const ConnectOptions& options, void* user);
  void flush(Conn& conn);
  Handed handed(const Conn& conn) const noexcept;
  std::size_t unacknowledged(const Conn& conn) const noexcept {
    return unacknowledged_by_peer(conn.fd) + static_cast<const UringConn&>(conn).unsent();
  }
  /// on_close follows when the operations of the connection have ended.
  void close(Conn& conn, int error = 0);
  void resume(Conn& conn);
  Fd release(Conn& conn);
  template <class F>
  void for_each(F&& visit);

  Result<Address> bind(const Address& at, const ListenOptions& options);
  Result<DatagramConn*> connect_datagrams(const Address& to, const ConnectOptions& options,
                                          void* user);
  /// Returns 0. If the kernel does not take it, on_datagram_error says so in the next turn.
  int send(DatagramConn& conn, Bytes head, Bytes body) {
    datagrams_->send(conn, head, body);
    return 0;
  }
  std::uint64_t datagrams_dropped() const { return datagrams_ ? datagrams_->dropped() : 0; }
  template <class F>
  void for_each_datagram_conn(F&& visit) {
    if (datagrams_) datagrams_->for_each(visit);
  }

  /// Serves until stop is requested, then returns with the connections still open. The handler must
  /// be able to serve everything that was opened.
  template <Handler H>
  Result<> run(H& handler, const Stop& stop);

  Nanoseconds now() const noexcept { return now_ns(); }
  Nanoseconds woke() const noexcept { return attention_.woke(); }
  Nanoseconds heard() const noexcept { return attention_.heard(); }
  Gap gap() const noexcept { return attention_.gap(); }
  Nanoseconds taken_until() const noexcept { return taken_until_.get(); }
  Nanoseconds received() const noexcept { return received_; }
  const ReactorStats& stats() const noexcept { return stats_; }
  std::size_t connections() const noexcept {
    return streams() + (datagrams_ ? datagrams_->connections() : 0);
  }
  /// How its bytes travel, a line each for a result, with the number of buffers in use.
  std::vector<std::string> describe() const;

 private:
  using Op = UringOp;

  // The poll of the stop request; and the longest sleep where the kernel refused it.
  static constexpr std::uint64_t kStopPoll =
      (kUringOpMask + 1) | static_cast<std::uint64_t>(UringOp::ignored);
  static constexpr Nanoseconds kDeafSleep = 100 * kMillisecond;
  // Moves of short messages, one behind the other, before they are received again.
  static constexpr std::uint8_t kPatience = 8;

  UringReactor(const ReactorOptions& options, Ring ring, BufferRing buffers);

  static UringConn& own(Conn& conn) noexcept { return static_cast<UringConn&>(conn); }
  void arm(Op op, UringConn& conn);
  int read_stamp(unsigned buffer, int result);
  void arm_receive(UringConn& conn);
  void read_on(UringConn& conn);
  void cancel(Op op, UringConn& conn);
  void widen(UringConn& conn);
  bool may_move(const UringConn& conn) noexcept;
  bool begin_move(UringConn& conn) noexcept;
  void end_move(UringConn& conn, ssize_t size);
  void stop_moving(UringConn& conn) noexcept;
  void after_send(const UringSends::Setback& setback);
  void zero_copy_over(const io_uring_cqe& cqe);
  void end_socket(int fd, int slot);
  void note_napi(int fd) noexcept;
  void sent(UringConn& conn, int result);
  void run_later(UringConn& conn);
  void check_output(UringConn& conn);
  void wait(Nanoseconds deadline);
  void watch_stop(int fd);
  void note_taken();
  void accept_failed(UringConn& listener, int error, bool more);
  void end_turn(Nanoseconds end);
  void receive_ended(UringConn& conn, int result);
  Result<> open_datagrams();
  std::size_t streams() const noexcept { return pool_.in_use() - listeners_.size(); }

  template <StreamHandler H>
  void deliver(UringConn& conn, unsigned buffer, std::size_t size, H& handler);
  template <Handler H>
  void complete(const io_uring_cqe& cqe, H& handler);
  template <StreamHandler H>
  void complete_stream(const io_uring_cqe& cqe, H& handler);
  template <StreamHandler H>
  void received(UringConn& conn, const io_uring_cqe& cqe, H& handler);
  template <EchoHandler H>
  void move(UringConn& conn, H& handler);
  template <StreamHandler H>
  void accepted(UringConn& listener, const io_uring_cqe& cqe, H& handler);
  template <StreamHandler H>
  void welcome(UringConn& conn, H& handler);
  template <StreamHandler H>
  void reap(H& handler);

  ReactorOptions options_;
  ReactorStats stats_;
  Waiter waiter_;
  Nanoseconds asked_ = 0;  // When this turn asked the kernel.
  Attention attention_;
  Nanoseconds received_ = 0;
  TakenUntil taken_until_;
  ReceiveClock receive_clock_;
  msghdr stamp_room_{};         // Asks for a timestamp in front of what is received.
  std::size_t stamp_size_ = 0;  // Bytes of the buffer that it takes.
  Ring ring_;
  BufferRing buffers_;
  ConnPool<UringConn> pool_;
  Upkeep upkeep_;
  std::vector<UringConn*> listeners_;
  bool deaf_ = false;  // A request to stop would not end a sleep.
  AcceptPause accept_pause_;
  UringRechecks rechecks_;
  bool left_behind_ = false;  // By the last enter: the kernel has more completions to hand over.
  bool left_unread_ = false;  // In this turn, by a socket whose receive begins with the next enter.
  bool share_used_ = false;   // In this turn, by a socket: it filled a buffer completely.
  UringTurn turn_;
  UringSends sends_;
  unsigned napi_id_ = 0;           // The NAPI id of an accepted socket that had one.
  std::vector<UringConn*> later_;  // These have more to send once this turn's send has left.
  std::vector<UringConn*> sending_later_;  // Swapped with later_ while it is walked.
  Resumed<UringConn> resumed_;
  Mover mover_;
  std::vector<UringConn*> dead_;  // Closing; freed when no operation in the kernel refers to them.
  bool dead_wait_for_turn_ = false;            // Some only wait for this turn to pass.
  std::unique_ptr<UringDatagrams> datagrams_;  // Made with the first UDP socket.
};

template <StreamHandler H>
void UringReactor::welcome(UringConn& conn, H& handler) {
  arm_receive(conn);
  handler.on_open(conn);
  flush(conn);
}

template <Handler H>
Result<> UringReactor::run(H& handler, const Stop& stop) {
  assert(DatagramServer<H> || DatagramClient<H> || !datagrams_);
  if (auto usable = stop.usable(); !usable) return usable;
  watch_stop(stop.fd());
  const Nanoseconds begin = now();
  attention_.begins(begin);
  Nanoseconds deadline = handler.on_turn(begin);
  while (!stop.requested()) {
    if constexpr (DatagramClient<H>) {
      if (datagrams_) datagrams_->queue_outbox(woke());
    }
    wait(deadline);
    attention_.woke(now());
    if (options_.receive_timestamps) receive_clock_.look();
    if constexpr (StreamHandler<H>) {
      if (!resumed_.empty()) resumed_.deliver(handler, [this](UringConn& conn) { read_on(conn); });
    }
    io_uring_cqe* cqe;
    unsigned head, count = 0;
    io_uring_for_each_cqe(ring_.get(), head, cqe) {
      complete(*cqe, handler);
      ++count;
    }
    io_uring_cq_advance(ring_.get(), count);
    const Nanoseconds end = now();
    waiter_.saw_events(end, count);
    if (count > 0) rechecks_.plan(end, pool_);
    end_turn(end);
    if constexpr (StreamHandler<H>) {
      upkeep_.turn(end, Buffer::held_here(), pool_, [&](Conn& conn, int why) { close(conn, why); });
      reap(handler);
    }
    deadline = handler.on_turn(end);
    if constexpr (StreamHandler<H>) deadline = std::min(deadline, upkeep_.due());
    deadline = std::min({deadline, accept_pause_.due(), rechecks_.due()});
    if (deaf_) deadline = std::min(deadline, end + kDeafSleep);
  }
  // What a turn sends leaves with the next one's wait, and here there is none.
  if (datagrams_) datagrams_->send_rest(now());
  return {};
}

template <class F>
void UringReactor::for_each(F&& visit) {
  pool_.for_each([&](Conn& conn) {
    if (std::ranges::find(listeners_, &conn) == listeners_.end()) visit(conn);
  });
}

template <Handler H>
void UringReactor::complete(const io_uring_cqe& cqe, H& handler) {
  const auto op = static_cast<Op>(cqe.user_data & kUringOpMask);
  if (op == Op::ignored) {
    deaf_ |= cqe.user_data == kStopPoll && cqe.res < 0;
    return;
  }
  if constexpr (DatagramServer<H> || DatagramClient<H>) {
    if (op == Op::datagram) return datagrams_->complete(cqe, handler);
  }
  if constexpr (StreamHandler<H>) complete_stream(cqe, handler);
}

template <StreamHandler H>
void UringReactor::complete_stream(const io_uring_cqe& cqe, H& handler) {
  const auto op = static_cast<Op>(cqe.user_data & kUringOpMask);
  if (op == Op::lent_send) return after_send(sends_.lent_send_over(cqe));
  if (op == Op::zero_copy) return zero_copy_over(cqe);
  UringConn& conn = conn_of(cqe.user_data);
  if (op == Op::receive) return received(conn, cqe, handler);
  if (op == Op::accept) return accepted(conn, cqe, handler);
  --conn.operations;
  if (op == Op::send) return sent(conn, cqe.res);
  if (cqe.res < 0) return close(conn, -cqe.res);
  if (conn.state != Conn::State::connecting) return;
  conn.state = Conn::State::open;
  welcome(conn, handler);
}

template <StreamHandler H>
void UringReactor::accepted(UringConn& listener, const io_uring_cqe& cqe, H& handler) {
  const bool more = cqe.flags & IORING_CQE_F_MORE;
  if (cqe.res < 0) return accept_failed(listener, -cqe.res, more);
  if (!more) {
    --listener.operations;
    arm(Op::accept, listener);
  }
  if (streams() >= options_.max_connections) {
    stats_.refused.add();
    return ring_.active().direct ? end_socket(-1, cqe.res) : end_socket(cqe.res, -1);
  }
  stats_.accepted.add();
  accept_pause_.accepted();
  UringConn& conn = pool_.take(ring_.active().direct ? -1 : cqe.res, Conn::State::open);
  conn.accepted = true;
  if (ring_.active().direct) conn.slot = cqe.res;
  if (ring_.active().napi_ns > 0) note_napi(conn.fd);
  welcome(conn, handler);
}

template <StreamHandler H>
void UringReactor::received(UringConn& conn, const io_uring_cqe& cqe, H& handler) {
  if (!(cqe.flags & IORING_CQE_F_MORE)) {
    --conn.operations;
    conn.reading = false;
  } else {
    rechecks_.delivered(conn);
  }
  int result = cqe.res;
  if (cqe.flags & IORING_CQE_F_BUFFER) {
    unsigned buffer = cqe.flags >> IORING_CQE_BUFFER_SHIFT;
    if (options_.receive_timestamps) result = read_stamp(buffer, result);
    std::size_t left = result > 0 ? static_cast<std::size_t>(result) : 0;
    for (; left > buffers_.size();
         left -= buffers_.size()) {  // A bundle: one receive filled several buffers.
      const unsigned next = buffers_.after(buffer);
      deliver(conn, buffer, buffers_.size(), handler);
      buffer = next;
      stats_.bundled.add();
    }
    deliver(conn, buffer, left, handler);
  } else if constexpr (EchoHandler<H>) {
    if (cqe.res > 0) return move(conn, handler);
  }
  if (conn.reading) return;
  if (conn.resumed && conn.alive()) {  // Before the end that may have come.
    feed_rest(conn, handler);
    flush(conn);
  }
  receive_ended(conn, result);
}

// The poll that stands in place of a receive says that something has come.
template <EchoHandler H>
void UringReactor::move(UringConn& conn, H& handler) {
  if (conn.reads_on() && begin_move(conn)) {
    const auto [size, error] = mover_.move(conn);
    if (size == 0) return receive_ended(conn, 0);
    if (size > 0) {
      stats_.bytes_in.add(static_cast<std::size_t>(size));
      conn.idle = 0;
      handler.on_moved(conn, static_cast<std::size_t>(size));
    }
    if (error != 0) return close(conn, error);
    end_move(conn, size);
  }
  if (conn.reads_on()) arm_receive(conn);
}

template <StreamHandler H>
void UringReactor::deliver(UringConn& conn, unsigned buffer, std::size_t size, H& handler) {
  sends_.begin_delivery(buffer);
  if (size > 0 && conn.state == Conn::State::open) {
    stats_.bytes_in.add(size);
    conn.idle = 0;
    buffers_.filled(size);
    share_used_ |= stamp_size_ + size == buffers_.size();
    const Bytes bytes = buffers_.view(buffer, stamp_size_ + size).subspan(stamp_size_);
    const bool was_paused = conn.paused;
    feed(conn, bytes, handler, options_.stash_limit);
    flush(conn);
    if (!conn.wide && conn.moves == 0) {
      const bool several = sends_.gathers(conn);
      if (EchoHandler<H> && (several || size > Mover::kMin) && may_move(conn)) {
        conn.moves = kPatience;
        if (conn.reading) cancel(Op::receive, conn);
      } else if (several) [[unlikely]] {
        widen(conn);
      }
    }
    if (conn.paused && !was_paused && conn.reading) cancel(Op::receive, conn);
  }
  sends_.end_delivery();
}

template <StreamHandler H>
void UringReactor::reap(H& handler) {
  std::size_t kept = 0;
  dead_wait_for_turn_ = false;
  for (std::size_t i = 0; i < dead_.size(); ++i) {  // on_close may end further connections.
    UringConn& conn = *dead_[i];
    if (conn.operations > 0 || conn.turn == turn_.number() || conn.queued) {
      dead_wait_for_turn_ |= conn.operations == 0;
      dead_[kept++] = &conn;
      continue;
    }
    handler.on_close(conn, conn.error);
    resumed_.forget(conn);
    end_socket(conn.fd, conn.slot);
    pool_.give_back(conn);
  }
  dead_.resize(kept);
}

}  // namespace wiremark::net
