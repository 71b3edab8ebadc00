// Readiness turned into data: edge-triggered, registered once, read into one shared buffer.
// Lives on one thread from open() to its end.
#pragma once

#include <sys/epoll.h>
#include <sys/socket.h>

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
#include "net/epoll_conn.h"
#include "net/epoll_datagrams.h"
#include "net/handler.h"
#include "net/mover.h"
#include "net/reactor_options.h"
#include "net/receive_clock.h"
#include "net/resumed.h"
#include "net/socket.h"
#include "net/stop.h"
#include "net/taken_until.h"
#include "net/upkeep.h"

namespace wiremark::net {

/// What its calls do stands in concepts.h; handlers see it through the views of views.h.
class EpollReactor {
 public:
  static constexpr const char* kName = "epoll";

  /// Checks that this kernel has epoll_pwait2(2) (Linux 5.11).
  static Result<> available();
  static Result<std::unique_ptr<EpollReactor>> open(const ReactorOptions& options);
  ~EpollReactor();

  Result<Address> listen(const Address& at, const ListenOptions& options);
  Result<Conn*> connect(const Address& to, const ConnectOptions& options, void* user);
  void flush(Conn& conn);
  Handed handed(const Conn& conn) const noexcept {
    return static_cast<const EpollConn&>(conn).unsent() == 0 ? Handed::all : Handed::waiting;
  }
  std::size_t unacknowledged(const Conn& conn) const noexcept {
    return unacknowledged_by_peer(conn.fd) + static_cast<const EpollConn&>(conn).unsent();
  }
  void close(Conn& conn, int error = 0);
  void resume(Conn& conn);
  Fd release(Conn& conn);
  template <class F>
  void for_each(F&& visit);

  Result<Address> bind(const Address& at, const ListenOptions& options);
  Result<DatagramConn*> connect_datagrams(const Address& to, const ConnectOptions& options,
                                          void* user);
  /// Tells at once why the kernel did not take the datagram, unless it waits for others of this
  /// turn: then on_datagram_error does.
  int send(DatagramConn& conn, Bytes head, Bytes body) {
    return datagrams_->send(conn, head, body);
  }
  std::uint64_t datagrams_dropped() const { return datagrams_ ? datagrams_->dropped() : 0; }
  template <class F>
  void for_each_datagram_conn(F&& visit) {
    if (datagrams_) datagrams_->for_each(visit);
  }

  /// Serves until stop is requested, then returns with the connections still open. The handler must
  /// be able to serve everything that was opened. Errors: stop cannot be watched (epoll_ctl(2)),
  /// and nothing was served.
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
    return pool_.in_use() + (datagrams_ ? datagrams_->connections() : 0);
  }
  /// "epoll, edge-triggered, one read buffer of ...".
  std::vector<std::string> describe() const;

 private:
  // What an event is about: the low bits of its data. The others identify it. A stop request has
  // data 0.
  static constexpr unsigned kTagBits = 2;
  static constexpr std::uint64_t kTagMask = 3;
  static constexpr std::uint64_t kConn = 0;          // A pointer to one.
  static constexpr std::uint64_t kListener = 1;      // Its descriptor.
  static constexpr std::uint64_t kBound = 2;         // The descriptor of a UDP socket.
  static constexpr std::uint64_t kDatagramConn = 3;  // A pointer to one.

  // Events that one wait brings at most.
  static constexpr int kEvents = 256;
  // Reads of one connection in a turn, so that none starves the others. A larger one counts as so
  // many as it could replace.
  static constexpr int kReadsPerTurn = 16;
  // Behind a full read of a turn the next ones ask for more, as far as the cache holds it: 1 MiB
  // over 10 connections costs netload 0.93 (0.90 to 0.99, nine rounds) of what it does without.
  static constexpr int kReadGrowth = 8;
  static constexpr std::size_t kLongReadMost = 512 << 10;
  // Nor do many that have much: as many of them are read more than once in a turn, about 1 MiB
  // each, which takes 2 ms to decode as JSON. Those behind them wait for a later turn.
  static constexpr std::size_t kLongReadsPerTurn = 4;

  EpollReactor(const ReactorOptions& options, Fd epoll);

  static int growth_of(const ReactorOptions& options) noexcept;
  static EpollConn& own(Conn& conn) noexcept { return static_cast<EpollConn&>(conn); }
  static std::uint64_t data_of(int fd, std::uint64_t tag) noexcept {
    return static_cast<std::uint64_t>(fd) << kTagBits | tag;
  }
  static std::uint64_t data_of(const void* conn, std::uint64_t tag) noexcept {
    return reinterpret_cast<std::uintptr_t>(conn) | tag;
  }
  Result<> watch(int fd, std::uint32_t events, std::uint64_t data);
  Result<> watch_listener(int fd) {
    return watch(fd, EPOLLIN | EPOLLEXCLUSIVE, data_of(fd, kListener));
  }
  Result<> watch_conn(const EpollConn& conn) {
    return watch(conn.fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, data_of(&conn, kConn));
  }
  EpollDatagrams& datagrams();
  int wait(epoll_event* events, Nanoseconds began, Nanoseconds deadline, bool hurry);
  Nanoseconds nap(Nanoseconds start, Nanoseconds until);
  bool finish_connect(EpollConn& conn);
  ssize_t receive(int fd, std::size_t most);
  ssize_t receive_stamped(int fd, std::size_t most);
  void read_again(EpollConn& conn);
  bool may_move(const EpollConn& conn) noexcept;
  ssize_t move(EpollConn& conn);
  bool holds_more(const EpollConn& conn, std::size_t taken) noexcept;
  bool may_read_on() noexcept { return unfinished_.empty() && ++long_reads_ <= kLongReadsPerTurn; }
  void read_on(EpollConn& conn);
  // A wait that returned fewer events than it had room for has returned all that was ready when it
  // began, also when it was interrupted.
  bool took_all(int events) const noexcept { return events < kEvents && !left_unread_; }
  void note_left(int events, bool unfinished);
  void pause_listeners();
  void wake_listeners();

  template <Handler H>
  bool has_unfinished() const noexcept;
  template <Handler H>
  void end_datagrams(Nanoseconds now, H& handler);
  template <Handler H>
  void dispatch(const epoll_event& event, H& handler);
  template <StreamHandler H>
  void dispatch_stream(const epoll_event& event, H& handler);
  template <StreamHandler H>
  void accept_all(int listener, H& handler);
  template <StreamHandler H>
  void welcome(Fd socket, H& handler);
  template <StreamHandler H>
  void read(EpollConn& conn, H& handler, bool to_the_end, bool its_turn);
  template <StreamHandler H>
  void read_unfinished(H& handler);
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
  Fd epoll_;
  std::vector<Fd> listeners_;
  AcceptPause accept_pause_;
  ConnPool<EpollConn> pool_;
  Upkeep upkeep_;
  bool left_unread_ = false;            // In this turn, by a socket that is not in unfinished_.
  std::vector<EpollConn*> unfinished_;  // Still readable after their share of a turn.
  std::vector<EpollConn*> resumable_;   // Swapped with unfinished_ while it is walked.
  std::size_t long_reads_ = 0;          // Of this turn, beside those of the unfinished ones.
  bool some_wait_ = false;              // Of the unfinished ones, and were not read in this turn.
  Resumed<EpollConn> resumed_;
  std::vector<EpollConn*> dead_;  // Closing; freed at the end of the turn, never inside a callback.
  int growth_;                    // How many reads one behind a full read counts for.
  std::size_t long_read_size_;    // The most bytes that it asks for.
  std::unique_ptr<std::byte[]> scratch_;
  Mover mover_;
  std::unique_ptr<EpollDatagrams> datagrams_;  // Made with the first UDP socket.
};

inline ssize_t EpollReactor::receive(int fd, std::size_t most) {
  stats_.system_calls.add();
  if (options_.receive_timestamps) return receive_stamped(fd, most);
  return ::recv(fd, scratch_.get(), most, 0);
}

template <Handler H>
bool EpollReactor::has_unfinished() const noexcept {
  if constexpr (DatagramClient<H>) {
    if (datagrams_ && datagrams_->has_unfinished()) return true;
  }
  return !unfinished_.empty();
}

template <Handler H>
void EpollReactor::end_datagrams(Nanoseconds now, H& handler) {
  if constexpr (DatagramClient<H>) {
    if (datagrams_) datagrams_->end_turn(now, handler);
  }
}

template <Handler H>
Result<> EpollReactor::run(H& handler, const Stop& stop) {
  assert(DatagramServer<H> || DatagramClient<H> || !datagrams_);
  epoll_event events[kEvents];
  if (auto usable = stop.usable(); !usable) return usable;
  if (auto watched = watch(stop.fd(), EPOLLIN, 0); !watched) return watched;
  Nanoseconds start = now();
  attention_.begins(start);
  Nanoseconds deadline = handler.on_turn(start);
  end_datagrams(start, handler);
  start = now();
  while (!stop.requested()) {
    const int count = wait(events, start, deadline, has_unfinished<H>());
    attention_.woke(now());
    if (options_.receive_timestamps) [[unlikely]]
      receive_clock_.look();
    if constexpr (StreamHandler<H>) {
      if (!resumed_.empty()) [[unlikely]]
        resumed_.deliver(handler, [this](EpollConn& conn) { read_on(conn); });
    }
    for (int i = 0; i < count; ++i) dispatch(events[i], handler);
    if constexpr (StreamHandler<H>) {
      if (!unfinished_.empty()) [[unlikely]]
        read_unfinished(handler);
    }
    if constexpr (DatagramClient<H>) {
      if (datagrams_ && datagrams_->has_unfinished()) datagrams_->deliver_unfinished(handler);
    }
    if (const bool unfinished = has_unfinished<H>(); took_all(count) && !unfinished) [[likely]]
      taken_until_.took_all(asked_);
    else
      note_left(count, unfinished);
    const Nanoseconds end = now();
    waiter_.saw_events(end, static_cast<unsigned>(count));
    if (accept_pause_.ends(end)) wake_listeners();
    if constexpr (StreamHandler<H>) {
      upkeep_.turn(end, Buffer::held_here(), pool_, [&](Conn& conn, int why) { close(conn, why); });
      if (!dead_.empty()) [[unlikely]]
        reap(handler);
    }
    const std::uint64_t calls = stats_.system_calls.get();
    deadline = handler.on_turn(end);
    end_datagrams(end, handler);
    // Without a system call no time to speak of has passed.
    start = stats_.system_calls.get() == calls ? end : now();
    if constexpr (StreamHandler<H>) deadline = std::min(deadline, upkeep_.due());
    deadline = std::min(deadline, accept_pause_.due());
  }
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, stop.fd(), nullptr);
  return {};
}

template <class F>
void EpollReactor::for_each(F&& visit) {
  pool_.for_each([&](Conn& conn) { visit(conn); });
}

template <Handler H>
void EpollReactor::dispatch(const epoll_event& event, H& handler) {
  const std::uint64_t data = event.data.u64;
  if (data == 0) return;  // The stop request: the loop's condition looks for it.
  if constexpr (DatagramServer<H>) {
    if ((data & kTagMask) == kBound) {
      left_unread_ |= !datagrams_->answer(static_cast<int>(data >> kTagBits), handler);
      return;
    }
  }
  if constexpr (DatagramClient<H>) {
    if ((data & kTagMask) == kDatagramConn)
      return datagrams_->deliver(*reinterpret_cast<EpollDatagramConn*>(data & ~kTagMask), handler);
  }
  if constexpr (StreamHandler<H>) dispatch_stream(event, handler);
}

template <StreamHandler H>
void EpollReactor::dispatch_stream(const epoll_event& event, H& handler) {
  if ((event.data.u64 & kTagMask) == kListener)
    return accept_all(static_cast<int>(event.data.u64 >> kTagBits), handler);
  EpollConn& conn = *static_cast<EpollConn*>(event.data.ptr);
  if (conn.state == Conn::State::connecting) {
    if (!(event.events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) || !finish_connect(conn)) return;
    handler.on_open(conn);
    flush(conn);
  } else if ((event.events & EPOLLOUT) && conn.alive() && conn.unsent() > 0) {
    conn.idle = 0;
    flush(conn);
  }
  const bool hung_up = event.events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR);
  if (conn.queued) return;
  if (hung_up || (event.events & EPOLLIN)) read(conn, handler, hung_up, false);
}

template <StreamHandler H>
void EpollReactor::accept_all(int listener, H& handler) {
  for (;;) {
    const int fd = ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    stats_.system_calls.add();
    if (fd >= 0 && pool_.in_use() >= options_.max_connections) {
      ::close(fd);
      stats_.refused.add();
    } else if (fd >= 0) {
      stats_.accepted.add();
      accept_pause_.accepted();
      welcome(Fd(fd), handler);
    } else if (errno == EAGAIN) {
      return;
    } else if (accept_pause_.failed(errno, now(), stats_)) {
      return pause_listeners();
    }
  }
}

template <StreamHandler H>
void EpollReactor::welcome(Fd socket, H& handler) {
  if (options_.receive_timestamps) ReceiveClock::ask(socket.get());
  EpollConn& conn = pool_.take(socket.release(), Conn::State::open);
  conn.accepted = true;
  left_unread_ = true;
  const auto watched = watch_conn(conn);
  handler.on_open(conn);
  if (watched)
    flush(conn);
  else
    close(conn, watched.error().code);
}

// Reads until a short read, or to the end of the stream when the peer is known to have closed. Who
// is read more than once waits for its turn where others do.
template <StreamHandler H>
void EpollReactor::read(EpollConn& conn, H& handler, bool to_the_end, bool its_turn) {
  std::size_t most = options_.read_size;
  for (int reads = 0; conn.state == Conn::State::open; ++reads) {
    conn.reading = true;
    if (conn.over_limit || conn.paused || conn.resumed) return;
    if (reads >= kReadsPerTurn) return read_again(conn);
    if (reads == 1 && !its_turn && !may_read_on()) return read_again(conn);
    bool moving = false;
    if constexpr (EchoHandler<H>) moving = conn.moves && may_move(conn);
    const ssize_t count = moving ? move(conn) : receive(conn.fd, most);
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
    conn.idle = 0;
    if constexpr (EchoHandler<H>) {
      conn.moves = size >= Mover::kMin;
      if (moving) {
        handler.on_moved(conn, size);
        flush(conn);
        if (conn.moves && !to_the_end && !holds_more(conn, size)) break;
        continue;
      }
    }
    feed(conn, {scratch_.get(), size}, handler, options_.stash_limit);
    flush(conn);
    if (size < most && !to_the_end) break;
    if (most == long_read_size_) reads += growth_ - 1;
    most = long_read_size_;
  }
  conn.reading = false;
}

template <StreamHandler H>
void EpollReactor::read_unfinished(H& handler) {
  long_reads_ = 0;
  resumable_.swap(unfinished_);
  const auto behind = resumable_.begin() +
                      static_cast<std::ptrdiff_t>(std::min(kLongReadsPerTurn, resumable_.size()));
  for (auto next = resumable_.begin(); next != behind; ++next) {
    EpollConn& conn = **next;
    conn.queued = false;
    if (conn.alive()) read(conn, handler, true, true);
  }
  some_wait_ = behind != resumable_.end();
  unfinished_.insert(unfinished_.begin(), behind, resumable_.end());
  resumable_.clear();
}

template <StreamHandler H>
void EpollReactor::reap(H& handler) {
  while (!dead_.empty()) {  // on_close may end further connections.
    EpollConn& conn = *dead_.back();
    dead_.pop_back();
    handler.on_close(conn, conn.error);
    resumed_.forget(conn);
    if (conn.queued) std::erase(unfinished_, &conn);
    if (conn.fd >= 0) ::close(conn.fd);
    pool_.give_back(conn);
  }
}

}  // namespace wiremark::net
