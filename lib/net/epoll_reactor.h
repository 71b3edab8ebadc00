// Readiness turned into data: edge-triggered, registered once, read into one shared buffer.
// Lives on one thread from open() to its end.
#pragma once

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/fd.h"
#include "net/address.h"
#include "net/conn_pool.h"
#include "net/epoll_conn.h"
#include "net/epoll_datagrams.h"
#include "net/handler.h"
#include "net/reactor_options.h"
#include "net/receive_clock.h"
#include "net/socket.h"
#include "net/stop.h"
#include "net/taken_until.h"

namespace wiremark::net {

class EpollReactor {
 public:
  static constexpr const char* kName = "epoll";

  /// Whether this kernel has what the reactor needs: epoll_pwait2(2), Linux 5.11.
  static Result<> available();
  static Result<std::unique_ptr<EpollReactor>> open(const ReactorOptions& options);
  ~EpollReactor();

  /// Accepts from a listening, non-blocking socket, which it takes over.
  void listen(Fd listener);
  /// Answers whatever comes to a bound UDP socket, which it takes over, from a DatagramHandler.
  Result<> listen_datagrams(Fd socket);
  /// Starts a connection on a non-blocking socket; on_open or on_close tells how it went.
  Conn& connect(Fd socket, const Address& to, void* user);
  /// Takes over a connected, non-blocking socket; on_open follows at once.
  template <Handler H>
  Conn& adopt(Fd socket, H& handler);

  /// Hands appended and lent bytes to the kernel; needed only outside on_open and on_data.
  void flush(Conn& conn);
  /// Sends one datagram, `head` and `body`, over a UDP connection, or not at all: never later.
  /// Returns why the kernel did not take it, 0 where it did.
  int send_datagram(Conn& conn, Bytes head, Bytes body);
  /// Ends a connection; on_close follows at the end of the turn with `error`.
  void close(Conn& conn, int error = 0);

  /// Reads a connection again that its handler had paused; what waits with it comes first, in the
  /// next turn.
  void resume(Conn& conn);
  /// Hands out the socket, which is not closed then. Only in on_close, or after run() when nothing
  /// is called any more.
  Fd release(Conn& conn);

  /// Serves until stop is requested, then returns with the connections still open. Errors: stop
  /// cannot be watched (epoll_ctl(2)), and nothing was served.
  template <Handler H>
  Result<> run(H& handler, const Stop& stop);
  /// Calls visit(conn) for every connection whose on_close has not come.
  template <class F>
  void for_each(F&& visit);

  /// The time, read anew.
  Nanoseconds now() const noexcept { return now_ns(); }
  /// When the wait of this turn ended: the moment its bytes were there to be read at the latest.
  Nanoseconds woke() const noexcept { return woke_; }
  /// Everything that had arrived by then has been delivered, but to connections that are not read.
  Nanoseconds taken_until() const noexcept { return taken_until_.get(); }
  /// When the kernel had received the last bytes of the delivery in hand; 0 where it was not asked
  /// for (ReactorOptions::receive_timestamps) or does not tell.
  Nanoseconds received() const noexcept { return received_; }
  /// Datagrams that came and found no room in their socket.
  std::uint64_t datagrams_dropped();
  const ReactorStats& stats() const noexcept { return stats_; }
  std::size_t connections() const noexcept { return pool_.in_use(); }
  /// What the path in a result says, a line each: "epoll, edge-triggered, one read buffer of ...".
  std::vector<std::string> describe() const;

 private:
  // What an event's data says where it is no Conn: the low bits, the rest is a socket.
  static constexpr unsigned kTagBits = 2;
  static constexpr std::uint64_t kListenerTag = 1;
  static constexpr std::uint64_t kDatagramTag = 2;

  // Events that one wait brings at most.
  static constexpr int kEvents = 256;
  // So that no connection starves the others.
  static constexpr int kReadsPerTurn = 16;

  EpollReactor(const ReactorOptions& options, Fd epoll);

  static EpollConn& own(Conn& conn) noexcept { return static_cast<EpollConn&>(conn); }
  static std::uint64_t tag_of(int fd, std::uint64_t tag) noexcept {
    return static_cast<std::uint64_t>(fd) << kTagBits | tag;
  }
  Result<> watch(int fd, std::uint32_t events, void* tag);
  int wait(epoll_event* events, int capacity, Nanoseconds deadline);
  Nanoseconds nap(Nanoseconds start, Nanoseconds until);
  bool finish_connect(EpollConn& conn);
  ssize_t receive(int fd);
  ssize_t receive_stamped(int fd);
  void read_again(EpollConn& conn);
  void note_taken(int events);
  void rest_listeners();
  void wake_listeners();

  template <Handler H>
  void dispatch(const epoll_event& event, H& handler);
  template <Handler H>
  void accept_all(int listener, H& handler);
  template <Handler H>
  void read(EpollConn& conn, H& handler, bool to_the_end);
  template <Handler H>
  void read_datagrams(EpollConn& conn, H& handler);
  template <Handler H>
  void feed_resumed(H& handler);
  template <Handler H>
  void reap(H& handler);

  ReactorOptions options_;
  ReactorStats stats_;
  Waiter waiter_;
  Nanoseconds asked_ = 0;  // When this turn asked the kernel.
  Nanoseconds woke_ = 0;
  Nanoseconds received_ = 0;
  TakenUntil taken_until_;
  ReceiveClock receive_clock_;
  Fd epoll_;
  std::vector<Fd> listeners_;
  Nanoseconds listeners_rest_until_ = 0;  // 0 while they accept.
  ConnPool<EpollConn> pool_;
  bool left_unread_ = false;            // In this turn, in a socket: it was opened in it.
  std::vector<EpollConn*> unfinished_;  // Still readable after their share of a turn.
  std::vector<EpollConn*> resumable_;   // Swapped with unfinished_ while it is walked.
  std::vector<EpollConn*> resumed_;     // Their stash comes first in the next turn.
  std::vector<EpollConn*> feeding_;     // Swapped with resumed_ while it is walked.
  std::vector<EpollConn*> dead_;  // Closing; freed at the end of the turn, never inside a callback.
  std::unique_ptr<std::byte[]> scratch_;
  std::unique_ptr<DatagramBatch> batch_;  // Made with the first UDP socket.
  std::vector<Fd> datagram_sockets_;
  std::uint64_t dropped_ = 0;  // By the sockets of connections that are closed.
};

inline ssize_t EpollReactor::receive(int fd) {
  if (options_.receive_timestamps) return receive_stamped(fd);
  return ::recv(fd, scratch_.get(), options_.read_size, 0);
}

template <Handler H>
Conn& EpollReactor::adopt(Fd socket, H& handler) {
  if (options_.receive_timestamps) ReceiveClock::ask(socket.get());
  EpollConn& conn = pool_.take(socket.release(), Conn::State::open);
  left_unread_ = true;
  const auto watched = watch(conn.fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, &conn);
  handler.on_open(conn);
  if (watched)
    flush(conn);
  else
    close(conn, watched.error().code);
  return conn;
}

template <Handler H>
Result<> EpollReactor::run(H& handler, const Stop& stop) {
  epoll_event events[kEvents];
  if (auto watched = watch(stop.fd(), EPOLLIN, nullptr); !watched) return watched;
  Nanoseconds deadline = handler.on_turn(now());
  while (!stop.requested()) {
    const int count = wait(events, kEvents, deadline);
    woke_ = now();
    if (options_.receive_timestamps) receive_clock_.look();
    if (!resumed_.empty()) feed_resumed(handler);
    for (int i = 0; i < count; ++i) dispatch(events[i], handler);
    resumable_.swap(unfinished_);
    for (EpollConn* conn : resumable_) {
      conn->queued = false;
      if (conn->alive() && conn->datagram)
        read_datagrams(*conn, handler);
      else if (conn->alive())
        read(*conn, handler, true);
    }
    resumable_.clear();
    note_taken(count);
    const Nanoseconds end = now();
    waiter_.saw_events(end, static_cast<unsigned>(count));
    if (listeners_rest_until_ != 0 && end >= listeners_rest_until_) wake_listeners();
    reap(handler);
    deadline = handler.on_turn(end);
    if (listeners_rest_until_ != 0) deadline = std::min(deadline, listeners_rest_until_);
  }
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, stop.fd(), nullptr);
  return {};
}

template <class F>
void EpollReactor::for_each(F&& visit) {
  pool_.for_each(visit);
}

template <Handler H>
void EpollReactor::dispatch(const epoll_event& event, H& handler) {
  if (event.data.ptr == nullptr) return;  // The stop request; the loop's condition sees it.
  const auto tag = event.data.u64;
  if (tag & kDatagramTag) {
    if constexpr (DatagramHandler<H>)
      answer_datagrams(*batch_, static_cast<int>(tag >> kTagBits), handler);
    return;
  }
  if (tag & kListenerTag) return accept_all(static_cast<int>(tag >> kTagBits), handler);
  EpollConn& conn = *static_cast<EpollConn*>(event.data.ptr);
  if (conn.state == Conn::State::connecting) {
    if (!(event.events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) || !finish_connect(conn)) return;
    handler.on_open(conn);
    flush(conn);
  } else if ((event.events & EPOLLOUT) && conn.alive() && conn.unsent() > 0) {
    flush(conn);
  }
  if (conn.datagram) return read_datagrams(conn, handler);
  const bool hung_up = event.events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR);
  if (hung_up || (event.events & EPOLLIN)) read(conn, handler, hung_up);
}

template <Handler H>
void EpollReactor::accept_all(int listener, H& handler) {
  for (;;) {
    const int fd = ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    stats_.system_calls.add();
    if (fd >= 0 && pool_.in_use() >= options_.max_connections) {
      ::close(fd);
      stats_.refused.add();
    } else if (fd >= 0) {
      stats_.accepted.add();
      adopt(Fd(fd), handler);
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      return rest_listeners();
    } else if (errno != ECONNABORTED && errno != EINTR) {
      return;
    }
  }
}

// Reads until a short read, or to the end of the stream when the peer is known to have closed.
template <Handler H>
void EpollReactor::read(EpollConn& conn, H& handler, bool to_the_end) {
  for (int reads = 0; conn.state == Conn::State::open; ++reads) {
    conn.reading = true;
    if (conn.over_limit || conn.paused || conn.resumed) return;
    if (reads == kReadsPerTurn) return read_again(conn);
    const ssize_t count = receive(conn.fd);
    stats_.system_calls.add();
    if (count < 0) {
      if (errno == EINTR) continue;
      if (errno != EAGAIN) return close(conn, errno);
      break;
    }
    if (count == 0) {
      conn.finish();
      return flush(conn);
    }
    const auto size = static_cast<std::size_t>(count);
    stats_.bytes_in.add(size);
    if (!feed(conn, {scratch_.get(), size}, handler, options_.stash_limit))
      return close(conn, EMSGSIZE);
    flush(conn);
    if (size < options_.read_size && !to_the_end) break;
  }
  conn.reading = false;
}

template <Handler H>
void EpollReactor::read_datagrams(EpollConn& conn, H& handler) {
  if (!deliver_datagrams(*batch_, conn, handler)) read_again(conn);
}

// Before anything else is read: it comes first.
template <Handler H>
void EpollReactor::feed_resumed(H& handler) {
  feeding_.swap(resumed_);
  for (EpollConn* conn : feeding_) {
    conn->resumed = false;
    if (!conn->alive() || conn->paused) continue;
    feed_rest(*conn, handler);
    flush(*conn);
    if (conn->reading && !conn->paused) read_again(*conn);
  }
  feeding_.clear();
}

template <Handler H>
void EpollReactor::reap(H& handler) {
  while (!dead_.empty()) {  // on_close may end further connections.
    EpollConn& conn = *dead_.back();
    dead_.pop_back();
    handler.on_close(conn, conn.error);
    if (conn.resumed) std::erase(resumed_, &conn);
    if (conn.queued) std::erase(unfinished_, &conn);
    if (conn.datagram) dropped_ += drops_of(conn.fd);
    if (conn.fd >= 0) ::close(conn.fd);
    pool_.give_back(conn);
  }
}

}  // namespace wiremark::net
