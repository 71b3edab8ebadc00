// Readiness turned into data: edge-triggered, registered once, read into one shared buffer.
#include "net/epoll_reactor.h"

#include <sys/ioctl.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "probe/evidence.h"

namespace wiremark::net {

Result<> EpollReactor::available() { return probe::wait_on_epoll(); }

Result<std::unique_ptr<EpollReactor>> EpollReactor::open(const ReactorOptions& options) {
  Fd epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) return failed("epoll_create1", fix_of_files(errno));
  return std::unique_ptr<EpollReactor>(new EpollReactor(options, std::move(epoll)));
}

EpollReactor::EpollReactor(const ReactorOptions& options, Fd epoll)
    : options_(options),
      waiter_(options.wait),
      attention_(options.heartbeat),
      taken_until_(kReadsPerTurn * options.read_size),
      epoll_(std::move(epoll)),
      upkeep_(options),
      growth_(growth_of(options)),
      long_read_size_(static_cast<std::size_t>(growth_) * options.read_size),
      scratch_(std::make_unique_for_overwrite<std::byte[]>(long_read_size_)),
      mover_(stats_) {}

// A timestamp is that of the last byte of a read, so those stay short.
int EpollReactor::growth_of(const ReactorOptions& options) noexcept {
  if (options.receive_timestamps) return 1;
  const std::size_t most = kLongReadMost / options.read_size;
  return std::clamp(static_cast<int>(most), 1, kReadGrowth);
}

EpollReactor::~EpollReactor() {
  pool_.for_each([](EpollConn& conn) {
    if (conn.fd >= 0) ::close(conn.fd);
  });
}

std::vector<std::string> EpollReactor::describe() const {
  std::string reads = "epoll, edge-triggered, one read buffer of " +
                      std::to_string(options_.read_size >> 10) + " KiB";
  if (growth_ > 1)
    reads += ", of " + std::to_string(long_read_size_ >> 10) + " KiB behind a read that filled it";
  std::vector<std::string> lines = {std::move(reads)};
  if (std::string moved = mover_.evidence(); !moved.empty()) lines.push_back(std::move(moved));
  if (datagrams_) std::ranges::move(datagrams_->describe(), std::back_inserter(lines));
  if (const std::string batch = options_.wait.batch_note(); !batch.empty())
    lines.push_back(batch + ", asleep in clock_nanosleep(2)");
  if (options_.receive_timestamps) lines.push_back(ReceiveClock::kNote);
  if (options_.uring.any())
    lines.push_back(options_.uring.to_string() + ": not active: no io_uring");
  return lines;
}

Result<> EpollReactor::watch(int fd, std::uint32_t events, std::uint64_t data) {
  epoll_event event{.events = events, .data = {.u64 = data}};
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0)
    return failed("epoll_ctl", errno == ENOSPC ? "(raise 'sysctl fs.epoll.max_user_watches')" : "");
  return {};
}

// The end of a stream comes without a timestamp.
ssize_t EpollReactor::receive_stamped(int fd, std::size_t most) {
  iovec bytes{scratch_.get(), most};
  alignas(cmsghdr) std::byte control[ReceiveClock::kControl];
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t count = ::recvmsg(fd, &message, 0);
  if (count <= 0) return count;
  received_ = receive_clock_.stamp_of(control, message.msg_controllen);
  (received_ != 0 ? stats_.stamped : stats_.unstamped).add();
  return count;
}

Result<Address> EpollReactor::listen(const Address& at, const ListenOptions& options) {
  auto socket = listen_on(at, options);
  if (!socket) return std::unexpected(socket.error());
  if (auto watched = watch_listener(socket->get()); !watched)
    return std::unexpected(watched.error());
  listeners_.push_back(std::move(*socket));
  return Address::of_socket(listeners_.back().get());
}

EpollDatagrams& EpollReactor::datagrams() {
  if (!datagrams_) datagrams_ = std::make_unique<EpollDatagrams>(options_, stats_);
  return *datagrams_;
}

Result<Address> EpollReactor::bind(const Address& at, const ListenOptions& options) {
  auto socket = bind_on(at, options);
  if (!socket) return std::unexpected(socket.error());
  const int fd = socket->get();
  if (auto watched = watch(fd, EPOLLIN, data_of(fd, kBound)); !watched)
    return std::unexpected(watched.error());
  auto bound = Address::of_socket(fd);
  if (bound) datagrams().add_bound(std::move(*socket), *bound);
  return bound;
}

// Not watched for EPOLLOUT: every datagram that leaves would raise an event for the room it frees.
Result<DatagramConn*> EpollReactor::connect_datagrams(const Address& to,
                                                      const ConnectOptions& options, void* user) {
  auto socket = datagram_socket_for(to, options);
  if (!socket) return std::unexpected(socket.error());
  EpollDatagramConn& conn = datagrams().add_connected(std::move(*socket), user);
  if (auto watched = watch(conn.fd, EPOLLIN | EPOLLET, data_of(&conn, kDatagramConn)); !watched)
    return std::unexpected(watched.error());
  return &conn;
}

void EpollReactor::pause_listeners() {
  for (const Fd& listener : listeners_)
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, listener.get(), nullptr);
}

void EpollReactor::wake_listeners() {
  for (const Fd& listener : listeners_) watch_listener(listener.get());
}

Result<Conn*> EpollReactor::connect(const Address& to, const ConnectOptions& options, void* user) {
  auto socket = socket_for(to, options);
  if (!socket) return std::unexpected(socket.error());
  if (options_.receive_timestamps) ReceiveClock::ask(socket->get());
  EpollConn& conn = pool_.take(socket->release(), Conn::State::connecting);
  conn.user = user;
  const int status = ::connect(conn.fd, to.data(), to.size());
  stats_.system_calls.add();
  const int error = status == 0 || errno == EINPROGRESS ? 0 : errno;
  // A socket that connected at once, as a Unix one does, still reports EPOLLOUT.
  if (const auto watched = watch_conn(conn); !watched) {
    ::close(conn.fd);
    pool_.give_back(conn);
    return std::unexpected(watched.error());
  }
  if (error != 0) close(conn, error);
  return &conn;
}

bool EpollReactor::finish_connect(EpollConn& conn) {
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(conn.fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  if (error != 0) {
    close(conn, error);
    return false;
  }
  conn.state = Conn::State::open;
  return true;
}

// `began`: about now.
int EpollReactor::wait(epoll_event* events, Nanoseconds began, Nanoseconds deadline, bool hurry) {
  // No event will wake a turn for connections that were closed outside a delivery.
  hurry |= !resumed_.empty() || !dead_.empty() || (datagrams_ && datagrams_->has_unsent());
  deadline = attention_.at_most(began, deadline);
  Nanoseconds start = began, gathered = began, until = hurry ? 0 : deadline;
  if (!hurry && !waiter_.blocks()) [[unlikely]] {
    if (!waiter_.had_batch()) gathered = waiter_.gather_until(began, deadline);
    if (gathered > began) start = nap(began, gathered);
    until = waiter_.sleep_until(start, deadline);
  }
  attention_.waits(began, std::max(gathered, until));
  timespec timeout{};
  if (until > start) {
    if (until != kNever) timeout = to_timespec(until - start);
    stats_.sleeps.add();
  }
  stats_.turns.add();
  stats_.system_calls.add();
  asked_ = start;
  const int count =
      ::epoll_pwait2(epoll_.get(), events, kEvents, until == kNever ? nullptr : &timeout, nullptr);
  return std::max(count, 0);
}

// epoll cannot wait for several events, so a batch gathers while the loop sleeps without watching.
Nanoseconds EpollReactor::nap(Nanoseconds start, Nanoseconds until) {
  const timespec time = to_timespec(until - start);
  ::clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
  stats_.system_calls.add();
  return now();
}

// For waits that return as many events as they have room for: epoll hands out the ready sockets in
// turn.
void EpollReactor::note_left(int events, bool unfinished) {
  const std::uint64_t sources =
      pool_.in_use() + listeners_.size() + (datagrams_ ? datagrams_->sockets() : 0);
  std::uint64_t served = events == kEvents ? kEvents : sources;
  if (some_wait_) served = kLongReadsPerTurn;
  taken_until_.left_some({.began = asked_, .share_used = unfinished, .served = served}, sources);
  left_unread_ = false;
}

void EpollReactor::flush(Conn& flushed) {
  EpollConn& conn = own(flushed);
  if (!conn.alive()) return;
  while (conn.unsent() > 0) {
    const bool lent = conn.lent_size > 0;
    const Bytes bytes = lent ? conn.lent() : conn.out.view();
    const ssize_t count = ::send(conn.fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    stats_.system_calls.add();
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno != EAGAIN) return close(conn, errno);
    const std::size_t sent = count < 0 ? 0 : static_cast<std::size_t>(count);
    stats_.bytes_out.add(sent);
    if (lent) {
      conn.lent_size = 0;
      if (sent < bytes.size()) conn.out.append(bytes.subspan(sent));
    } else {
      conn.out.consume(sent);
      stats_.copied.add(sent);
    }
    if (sent < bytes.size()) break;  // The socket is full; EPOLLOUT will report when it has room.
  }
  const std::size_t unsent = conn.unsent();
  if (unsent == 0 && conn.state == Conn::State::finishing) return close(conn, conn.error);
  if (!conn.over_limit && unsent > options_.output_limit) {
    conn.over_limit = true;
    stats_.pauses.add();
  } else if (conn.over_limit && unsent <= options_.output_limit / 2) {
    conn.over_limit = false;
    if (conn.reading) read_again(conn);
  }
}

// Bytes may not overtake others, and a timestamp comes only with recvmsg(2).
bool EpollReactor::may_move(const EpollConn& conn) noexcept {
  return conn.unsent() == 0 && conn.stash.empty() && !options_.receive_timestamps && mover_.can();
}

ssize_t EpollReactor::move(EpollConn& conn) {
  const auto [size, error] = mover_.move(conn);
  if (size < 0 && !mover_.can()) errno = EINTR;  // It is read instead.
  if (error != 0) close(conn, error);
  return size;
}

// After a move that took less than it might have: the pipe may have had no place for more.
bool EpollReactor::holds_more(const EpollConn& conn, std::size_t taken) noexcept {
  if (taken >= SplicePipe::kMost / 4) return true;  // The next read tells.
  int waiting = 0;
  stats_.system_calls.add();
  return ::ioctl(conn.fd, FIONREAD, &waiting) != 0 || waiting > 0;
}

void EpollReactor::read_again(EpollConn& conn) {
  if (!conn.queued) unfinished_.push_back(&conn);
  conn.queued = true;
}

void EpollReactor::read_on(EpollConn& conn) {
  flush(conn);
  if (conn.reading && !conn.paused) read_again(conn);
}

Fd EpollReactor::release(Conn& conn) {
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, conn.fd, nullptr);
  return Fd(std::exchange(conn.fd, -1));
}

void EpollReactor::resume(Conn& conn) { resumed_.add(own(conn)); }

void EpollReactor::close(Conn& conn, int error) {
  if (conn.state == Conn::State::closing) return;
  conn.state = Conn::State::closing;
  conn.error = static_cast<std::int16_t>(error);
  dead_.push_back(&own(conn));
}

}  // namespace wiremark::net
