// Completions as they come: multishot accept and receive, buffers picked by the kernel.
#include "net/uring_reactor.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "net/uring_compat.h"

namespace wiremark::net {

namespace {

// One enter makes completions of at least this many events, in the order in which they came
// (IO_LOCAL_TW_DEFAULT_MAX since Linux 6.13; of all events before). A socket has at most two
// events: readable and writable.
constexpr std::uint64_t kEventsPerEnter = 20;
constexpr std::uint64_t kEventsPerSocket = 2;
// The most buffers that one event fills before the events behind it get their turn
// (MULTISHOT_MAX_RETRY).
constexpr std::size_t kBuffersPerEvent = 32;

void set_blocking(int fd, bool blocking) noexcept {
  ::fcntl(fd, F_SETFL, blocking ? 0 : O_NONBLOCK);
}

// Bytes that a multishot recvmsg puts in front of the received ones.
constexpr std::size_t kStampSize = sizeof(io_uring_recvmsg_out) + ReceiveClock::kControl;

}  // namespace

Result<> UringReactor::available() {
  ReactorOptions smallest;
  smallest.buffers = 1;
  smallest.buffer_size = 64;
  const auto reactor = open(smallest);
  if (!reactor) return std::unexpected(reactor.error());
  io_uring_prep_nop(&(*reactor)->ring_.entry());
  const int entered = io_uring_submit_and_wait((*reactor)->ring_.get(), 1);
  if (entered < 0) return failed("io_uring_enter", {}, -entered);
  return {};
}

Result<std::unique_ptr<UringReactor>> UringReactor::open(const ReactorOptions& options) {
  UringOptions choices = options.uring;
  std::size_t size = options.buffer_size;
  if (options.receive_timestamps) {
    choices.bundle = false;  // recvmsg(2) fills one buffer.
    size += kStampSize;
  }
  auto ring = Ring::open(choices);
  if (!ring) return std::unexpected(ring.error());
  auto buffers = BufferRing::open(*ring, options.buffers, size);
  if (!buffers) return std::unexpected(buffers.error());
  return std::unique_ptr<UringReactor>(
      new UringReactor(options, std::move(*ring), std::move(*buffers)));
}

UringReactor::UringReactor(const ReactorOptions& options, Ring ring, BufferRing buffers)
    : options_(options),
      waiter_(options.wait),
      attention_(options.heartbeat),
      taken_until_(kBuffersPerEvent * options.buffer_size),
      ring_(std::move(ring)),
      buffers_(std::move(buffers)),
      upkeep_(options),
      rechecks_(options.recheck_ns),
      sends_(ring_, buffers_, turn_, stats_),
      mover_(stats_) {
  if (!options.receive_timestamps) return;
  stamp_room_.msg_controllen = ReceiveClock::kControl;
  stamp_size_ = kStampSize;
}

UringReactor::~UringReactor() {
  // Until it is cancelled the kernel may write into buffers and holds the sockets open. What
  // cancels everything takes a time that grows with the square of it, so it gets what is left over.
  for (std::size_t block = 0; block < pool_.blocks(); ++block) {
    pool_.for_each_in(block, [this](UringConn& conn) {
      if (conn.reading) cancel(Op::receive, conn);
    });
    ring_.discard();
  }
  ring_.cancel_all();
  // A listener that is closed leaves its port at once when its accept, which holds it too, has been
  // fetched; else when the kernel has torn the ring down, in the background.
  ring_.discard();
  pool_.for_each([](UringConn& conn) {
    if (conn.fd >= 0) ::close(conn.fd);
    conn.operations = 0;
  });
}

void UringReactor::watch_stop(int fd) {
  io_uring_sqe& sqe = ring_.entry();
  io_uring_prep_poll_add(&sqe, fd, POLLIN);
  io_uring_sqe_set_data64(&sqe, kStopPoll);
}

Result<Address> UringReactor::listen(const Address& at, const ListenOptions& options) {
  auto socket = listen_on(at, options);
  if (!socket) return std::unexpected(socket.error());
  if (options_.receive_timestamps) ReceiveClock::ask(socket->get());
  UringConn& conn = pool_.take(socket->release(), Conn::State::open);
  listeners_.push_back(&conn);
  arm(Op::accept, conn);
  return Address::of_socket(conn.fd);
}

// The address lives in the memory of the turn, since the kernel reads it when it takes the entry.
Result<Conn*> UringReactor::connect(const Address& to, const ConnectOptions& options, void* user) {
  auto socket = socket_for(to, options);
  if (!socket) return std::unexpected(socket.error());
  if (options_.receive_timestamps) ReceiveClock::ask(socket->get());
  UringConn& conn = pool_.take(socket->release(), Conn::State::connecting);
  conn.user = user;
  ++conn.operations;
  io_uring_sqe& sqe = ring_.entry();
  const Bytes address =
      turn_.memory().copy({reinterpret_cast<const std::byte*>(to.data()), to.size()});
  io_uring_prep_connect(&sqe, conn.fd, reinterpret_cast<const sockaddr*>(address.data()),
                        to.size());
  io_uring_sqe_set_data64(&sqe, data_of(conn, Op::connect));
  return &conn;
}

void UringReactor::arm(Op op, UringConn& conn) {
  io_uring_sqe& sqe = ring_.entry();
  const int file = conn.file();
  if (op == Op::accept && ring_.active().direct) {
    io_uring_prep_multishot_accept_direct(&sqe, file, nullptr, nullptr, 0);
  } else if (op == Op::accept) {
    io_uring_prep_multishot_accept(&sqe, file, nullptr, nullptr, SOCK_CLOEXEC);
  } else if (conn.moves > 0) {
    io_uring_prep_poll_add(&sqe, file, POLLIN | POLLRDHUP);
  } else if (op == Op::receive && options_.receive_timestamps) {
    io_uring_prep_recvmsg_multishot(&sqe, file, &stamp_room_, 0);
    sqe.flags |= IOSQE_BUFFER_SELECT;
  } else {
    io_uring_prep_recv_multishot(&sqe, file, nullptr, 0, 0);
    sqe.flags |= IOSQE_BUFFER_SELECT;
    if (ring_.active().bundle || conn.wide) sqe.ioprio |= kReceiveBundle;
  }
  conn.mark_file(sqe);
  io_uring_sqe_set_data64(&sqe, data_of(conn, op));
  ++conn.operations;
}

// Returns how many bytes follow the timestamp; at the end of a stream there are none.
int UringReactor::read_stamp(unsigned buffer, int result) {
  if (result <= static_cast<int>(stamp_size_)) return std::min(result, 0);
  io_uring_recvmsg_out out;
  alignas(cmsghdr) std::byte control[ReceiveClock::kControl];
  const Bytes head = buffers_.view(buffer, stamp_size_);
  std::memcpy(&out, head.data(), sizeof out);
  std::memcpy(control, head.data() + sizeof out, sizeof control);
  received_ = receive_clock_.stamp_of(control, out.controllen);
  (received_ != 0 ? stats_.stamped : stats_.unstamped).add();
  return result - static_cast<int>(stamp_size_);
}

void UringReactor::arm_receive(UringConn& conn) {
  conn.reading = true;
  left_unread_ = true;
  arm(Op::receive, conn);
}

void UringReactor::read_on(UringConn& conn) {
  flush(conn);
  if (!conn.reads_on() || conn.reading) return;
  stats_.rearmed.add();
  arm_receive(conn);
}

void UringReactor::cancel(Op op, UringConn& conn) {
  io_uring_sqe& sqe = ring_.entry();
  io_uring_prep_cancel64(&sqe, data_of(conn, op), 0);
  io_uring_sqe_set_data64(&sqe, static_cast<std::uint64_t>(Op::ignored));
}

// One receive of several buffers takes one system call's work, and one acknowledgement. The receive
// that is armed ends, and begins anew so.
void UringReactor::widen(UringConn& conn) {
  if (!ring_.can_bundle() || options_.receive_timestamps) return;
  conn.wide = true;
  if (conn.reading) cancel(Op::receive, conn);
}

// A descriptor is needed to move, and what was asked of the ring is done as it was asked.
bool UringReactor::may_move(const UringConn& conn) noexcept {
  return conn.slot < 0 && !options_.uring.any() && !options_.receive_timestamps && mover_.can();
}

// Bytes may not overtake others. False: the next ones are received.
bool UringReactor::begin_move(UringConn& conn) noexcept {
  const bool can = handed(conn) == Handed::all && conn.stash.empty();
  if (can && !conn.nonblocking) {
    conn.nonblocking = true;
    set_blocking(conn.fd, false);
  }
  if (!can) stop_moving(conn);
  return can;
}

void UringReactor::end_move(UringConn& conn, ssize_t size) {
  if (size >= static_cast<ssize_t>(Mover::kMin))
    conn.moves = kPatience;
  else if (size > 0)
    --conn.moves;
  if (conn.moves == 0 || conn.unsent() > 0 || !mover_.can()) stop_moving(conn);
  flush(conn);
}

// An operation on a socket that does not block ends with EAGAIN where it should wait.
void UringReactor::stop_moving(UringConn& conn) noexcept {
  conn.moves = 0;
  if (conn.nonblocking) set_blocking(conn.fd, true);
  conn.nonblocking = false;
}

void UringReactor::wait(Nanoseconds deadline) {
  stats_.turns.add();
  const Nanoseconds start = now();
  asked_ = start;
  left_behind_ = false;
  // Do not sleep while something waits for a turn to pass: a lent send that succeeds makes no event
  // to end the sleep.
  const bool hurry = !later_.empty() || !resumed_.empty() || dead_wait_for_turn_;
  const Nanoseconds until =
      hurry ? 0 : waiter_.sleep_until(start, attention_.at_most(start, deadline));
  attention_.waits(start, until);
  if (until > start) {
    stats_.sleeps.add();
    const Nanoseconds gather = waiter_.gather_until(start, until);
    stats_.system_calls.add(ring_.wait(start, gather, until));
  } else if (hurry || io_uring_sq_ready(ring_.get()) > 0 || ring_.has_work()) {
    io_uring_submit_and_get_events(ring_.get());
    stats_.system_calls.add();
  } else {
    return;
  }
  left_behind_ = ring_.is_behind();
  // The turn has not passed if the kernel had no room for completions and left part of the queue
  // (EBUSY), or if completions overflowed the queue: a failed send may be among them.
  if (io_uring_sq_ready(ring_.get()) == 0 && !io_uring_cq_has_overflow(ring_.get())) turn_.pass();
  sends_.collect_failed([this](const auto& setback) { after_send(setback); });
}

void UringReactor::note_taken() {
  if (!left_behind_ && !left_unread_) {
    taken_until_.took_all(asked_);
  } else {
    const std::size_t sockets = pool_.in_use() + (datagrams_ ? datagrams_->sockets() : 0);
    taken_until_.left_some(
        {.began = asked_, .share_used = share_used_ || datagrams_, .served = kEventsPerEnter},
        kEventsPerSocket * sockets);
  }
  left_unread_ = share_used_ = false;
}

void UringReactor::end_turn(Nanoseconds end) {
  sends_.end_turn();
  buffers_.publish();
  if (datagrams_) left_unread_ |= datagrams_->end_turn();
  turn_.end();
  note_taken();
  if (accept_pause_.ends(end)) {
    for (UringConn* listener : listeners_) {
      if (listener->operations == 0) arm(Op::accept, *listener);
    }
  }
  rechecks_.turn(end, pool_, [this](UringConn& conn) { cancel(Op::receive, conn); });
  sending_later_.swap(later_);
  for (UringConn* conn : sending_later_) {
    conn->queued = false;
    flush(*conn);
  }
  sending_later_.clear();
}

void UringReactor::receive_ended(UringConn& conn, int result) {
  if (conn.state != Conn::State::open) return;
  if (result == 0) {
    conn.finish();
    return flush(conn);
  }
  if (result == -ENOBUFS) {
    stats_.out_of_buffers.add();
    buffers_.grow();
  } else if (result < 0 && result != -ECANCELED && result != -EINTR) {
    return close(conn, -result);
  }
  if (!conn.reads_on()) return;
  stats_.rearmed.add();
  arm_receive(conn);
}

Result<> UringReactor::open_datagrams() {
  if (datagrams_) return {};
  auto opened = UringDatagrams::open(ring_, options_, turn_, stats_);
  if (!opened) return std::unexpected(opened.error());
  datagrams_ = std::move(*opened);
  return {};
}

Result<Address> UringReactor::bind(const Address& at, const ListenOptions& options) {
  auto socket = bind_on(at, options);
  if (!socket) return std::unexpected(socket.error());
  if (auto opened = open_datagrams(); !opened) return std::unexpected(opened.error());
  auto bound = Address::of_socket(socket->get());
  if (bound) datagrams_->add_bound(std::move(*socket), *bound);
  return bound;
}

Result<DatagramConn*> UringReactor::connect_datagrams(const Address& to,
                                                      const ConnectOptions& options, void* user) {
  auto socket = datagram_socket_for(to, options);
  if (!socket) return std::unexpected(socket.error());
  if (auto opened = open_datagrams(); !opened) return std::unexpected(opened.error());
  return &datagrams_->add_connected(std::move(*socket), user);
}

void UringReactor::accept_failed(UringConn& listener, int error, bool more) {
  if (!more) --listener.operations;
  if (!accept_pause_.failed(error, now(), stats_) && !more) arm(Op::accept, listener);
}

void UringReactor::flush(Conn& flushed) {
  UringConn& conn = own(flushed);
  if (!conn.alive() || conn.queued) return conn.copy_lent();
  if (sends_.flush(conn)) run_later(conn);
  check_output(conn);
}

// A lent send that succeeds is not told: it has, once its turn has passed and nothing was left.
Handed UringReactor::handed(const Conn& asked) const noexcept {
  const auto& conn = static_cast<const UringConn&>(asked);
  if (conn.sending) return Handed::waiting;
  return conn.turn == turn_.number() || conn.unsent() > 0 ? Handed::queued : Handed::all;
}

void UringReactor::run_later(UringConn& conn) {
  if (!conn.queued) later_.push_back(&conn);
  conn.queued = true;
}

void UringReactor::after_send(const UringSends::Setback& setback) {
  if (!setback.conn) return;
  if (setback.error != 0) return close(*setback.conn, setback.error);
  check_output(*setback.conn);
}

void UringReactor::zero_copy_over(const io_uring_cqe& cqe) {
  const UringConn& conn = sends_.conn_of_zero_copy(cqe);
  after_send(sends_.zero_copy_over(cqe));
  if (conn.operations == 0) dead_wait_for_turn_ |= !conn.alive();
}

void UringReactor::sent(UringConn& conn, int result) {
  if (result > 0) conn.idle = 0;
  if (const int error = sends_.sent(conn, result)) return close(conn, error);
  if (conn.alive() && !conn.sending) flush(conn);
}

// Applies the output limit, and ends a finished connection whose last byte has left.
void UringReactor::check_output(UringConn& conn) {
  if (conn.state == Conn::State::finishing && conn.unsent() == 0) {
    if (conn.turn != turn_.number()) return close(conn, conn.error);
    run_later(conn);
  }
  if (!conn.over_limit && conn.unsent() > options_.output_limit) {
    conn.over_limit = true;
    stats_.pauses.add();
    if (!conn.reading) return;
    cancel(Op::receive, conn);
  } else if (conn.over_limit && conn.unsent() <= options_.output_limit / 2) {
    conn.over_limit = false;
    if (!conn.reading && conn.reads_on()) arm_receive(conn);
  }
}

Fd UringReactor::release(Conn& conn) { return Fd(std::exchange(conn.fd, -1)); }

void UringReactor::resume(Conn& conn) { resumed_.add(own(conn)); }

void UringReactor::close(Conn& closed, int error) {
  UringConn& conn = own(closed);
  if (conn.state == Conn::State::closing) return;
  // An armed receive holds the socket open; shutdown(2) completes it. A connect that has not begun
  // would begin after a shutdown, so it is cancelled, by an entry behind its own in the queue.
  if (conn.state == Conn::State::connecting) {
    cancel(Op::connect, conn);
  } else if (conn.operations > 0 && conn.slot < 0) {
    ::shutdown(conn.fd, SHUT_RDWR);
  } else if (conn.operations > 0) {
    io_uring_sqe& sqe = ring_.entry();
    io_uring_prep_shutdown(&sqe, conn.slot, SHUT_RDWR);
    conn.mark_file(sqe);
    io_uring_sqe_set_data64(&sqe, static_cast<std::uint64_t>(Op::ignored));
  }
  dead_wait_for_turn_ |= conn.operations == 0;
  conn.state = Conn::State::closing;
  conn.error = static_cast<std::int16_t>(error);
  dead_.push_back(&conn);
}

void UringReactor::end_socket(int fd, int slot) {
  if (slot < 0) {
    if (fd >= 0) ::close(fd);
    return;
  }
  io_uring_sqe& sqe = ring_.entry();
  io_uring_prep_close_direct(&sqe, static_cast<unsigned>(slot));
  io_uring_sqe_set_data64(&sqe, static_cast<std::uint64_t>(Op::ignored));
}

}  // namespace wiremark::net
