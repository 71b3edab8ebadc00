// Datagrams for io_uring: multishot receives into buffers that hold the longest datagram, and sends
// that end with the turn that submitted them.
#include "net/uring_datagrams.h"

#include <netinet/in.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>

#include "net/socket.h"

namespace wiremark::net {

namespace {

// Room for the address of a sender, rounded up so that the control message behind it is aligned.
constexpr std::size_t kNameRoom = 32;
static_assert(kNameRoom >= sizeof(sockaddr_in6));

// The kernel puts its own header, sender and destination in front of the bytes.
constexpr std::size_t kBufferSize =
    (sizeof(io_uring_recvmsg_out) + kNameRoom + kControlRoom + kDatagramRoom + 63) / 64 * 64;

}  // namespace

Result<std::unique_ptr<UringDatagrams>> UringDatagrams::open(Ring& ring,
                                                             const ReactorOptions& options,
                                                             UringTurn& turn, ReactorStats& stats) {
  auto memory = BufferRing::open(ring, options.buffers, kBufferSize, kGroup);
  if (!memory) return std::unexpected(memory.error());
  return std::unique_ptr<UringDatagrams>(
      new UringDatagrams(ring, std::move(*memory), options, turn, stats));
}

UringDatagrams::UringDatagrams(Ring& ring, BufferRing buffers, const ReactorOptions& options,
                               UringTurn& turn, ReactorStats& stats)
    : ring_(ring),
      buffers_(std::move(buffers)),
      turn_(turn),
      stats_(stats),
      offload_(options.udp_offload) {
  shape_.msg_namelen = kNameRoom;
  shape_.msg_controllen = kControlRoom;
  together_.msg_controllen = CMSG_SPACE(sizeof(int));
}

UringDatagrams::~UringDatagrams() {
  for (const DatagramConn& conn : conns_) ::close(conn.fd);
}

void UringDatagrams::add_bound(Fd socket, const Address& address) {
  answerable_.add_own(address);
  offload_.ask(socket.get());
  bound_.push_back(std::move(socket));
  arm_bound(bound_.size() - 1);
}

DatagramConn& UringDatagrams::add_connected(Fd socket, void* user) {
  receives_together_ |= offload_.ask(socket.get());
  OutboxConn& conn = conns_.emplace_back();
  conn.user = user;
  conn.fd = socket.release();
  arm_connected(conns_.size() - 1);
  return conns_.back();
}

void UringDatagrams::arm_bound(std::size_t place) {
  io_uring_sqe& sqe = ring_.entry();
  io_uring_prep_recvmsg_multishot(&sqe, bound_[place].get(), &shape_, 0);
  arm(sqe, Kind::bound, place);
}

void UringDatagrams::arm_connected(std::size_t place) {
  io_uring_sqe& sqe = ring_.entry();
  if (receives_together_)
    io_uring_prep_recvmsg_multishot(&sqe, conns_[place].fd, &together_, 0);
  else
    io_uring_prep_recv_multishot(&sqe, conns_[place].fd, nullptr, 0, 0);
  arm(sqe, Kind::connected, place);
}

void UringDatagrams::arm(io_uring_sqe& sqe, Kind kind, std::size_t place) {
  sqe.flags |= IOSQE_BUFFER_SELECT;
  sqe.buf_group = kGroup;
  io_uring_sqe_set_data64(&sqe, data_of(kind, place));
  left_unread_ = true;
}

void UringDatagrams::queue(io_uring_sqe& sqe, const Send& send) {
  auto& queued = sends_[turn_.parity()];
  sqe.flags |= IOSQE_CQE_SKIP_SUCCESS;
  io_uring_sqe_set_data64(&sqe, data_of(Kind::send, queued.size() << 1 | turn_.parity()));
  queued.push_back(send);
  stats_.datagrams_out.add(send.count);
  stats_.gathered_out.add(send.count - 1);
  stats_.bytes_out.add(send.size);
}

// The header of a datagram lies in front of it.
msghdr UringDatagrams::header_of(io_uring_recvmsg_out& received, const msghdr& shape) noexcept {
  msghdr header{};
  header.msg_name = io_uring_recvmsg_name(&received);
  header.msg_namelen = received.namelen;
  if (received.controllen == 0) return header;
  header.msg_control = static_cast<std::byte*>(header.msg_name) + shape.msg_namelen;
  header.msg_controllen = received.controllen;
  return header;
}

// The answer is sent from the buffer of what it answers: sender and destination, and its bytes if
// they lie there.
void UringDatagrams::answer(std::size_t socket, unsigned buffer, const msghdr& header,
                            Bytes bytes) {
  if (!bytes.empty() && !buffers_.holds(buffer, bytes.data())) {
    bytes = turn_.memory().copy(bytes);
    stats_.copied.add(bytes.size());
  }
  queue_answer({.conn = nullptr,
                .size = static_cast<std::uint32_t>(bytes.size()),
                .buffer = buffer,
                .socket = socket},
               header, bytes);
}

// Several sends may answer one receive, so each has a control message of its own.
void UringDatagrams::answer(std::size_t socket, unsigned buffer, const msghdr& header,
                            const Run& run) {
  msghdr own = header;
  const auto* control = static_cast<const std::byte*>(header.msg_control);
  const Bytes copy = turn_.memory().copy({control, header.msg_controllen});
  own.msg_control = const_cast<std::byte*>(copy.data());
  set_segment(own, run.count > 1 ? run.segment : 0);
  queue_answer({.conn = nullptr,
                .size = static_cast<std::uint32_t>(run.size),
                .buffer = buffer,
                .count = run.count,
                .segment = static_cast<std::uint32_t>(run.segment),
                .socket = socket},
               own, {run.data, run.size});
}

void UringDatagrams::queue_answer(const Send& send, const msghdr& header, Bytes bytes) {
  struct Message {
    msghdr header;
    iovec part;
  };
  auto& message = *new (turn_.memory().take(sizeof(Message))) Message{.header = header, .part = {}};
  message.part = {const_cast<std::byte*>(bytes.data()), bytes.size()};
  message.header.msg_iov = &message.part;
  message.header.msg_iovlen = 1;
  io_uring_sqe& sqe = ring_.entry();
  io_uring_prep_sendmsg(&sqe, bound_[send.socket].get(), &message.header,
                        MSG_NOSIGNAL | MSG_DONTWAIT);
  Send queued = send;
  queued.message = &message.header;
  queue(sqe, queued);
}

void UringDatagrams::send(DatagramConn& to, Bytes head, Bytes body) {
  auto& conn = static_cast<OutboxConn&>(to);
  if (outbox_.holds(conn)) return outbox_.add(conn, head, body, turn_.memory());
  const std::size_t size = head.size() + body.size();
  std::byte* copy = turn_.memory().take(size);
  if (!head.empty()) std::memcpy(copy, head.data(), head.size());
  if (!body.empty()) std::memcpy(copy + head.size(), body.data(), body.size());
  io_uring_sqe& sqe = ring_.entry();
  io_uring_prep_send(&sqe, conn.fd, copy, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  queue(sqe, {.conn = &conn, .size = static_cast<std::uint32_t>(size), .buffer = kNoBuffer});
}

void UringDatagrams::queue_outbox(Nanoseconds now) {
  choice_.turn(now, stats_.datagrams_in.get());
  outbox_.pass();
  if (outbox_.empty()) return;
  outbox_.send_all(offload_, choice_,
                   [this](OutboxConn& conn, const Run& run, const std::vector<iovec>& parts) {
                     queue_run(conn, run, parts);
                     return run.count;
                   });
}

void UringDatagrams::queue_run(OutboxConn& conn, const Run& run, const std::vector<iovec>& parts) {
  io_uring_sqe& sqe = ring_.entry();
  const auto size = static_cast<std::uint32_t>(run.size);
  if (run.count == 1) {
    io_uring_prep_send(&sqe, conn.fd, run.data, run.size, MSG_NOSIGNAL | MSG_DONTWAIT);
    return queue(sqe, {.conn = &conn, .size = size, .buffer = kNoBuffer});
  }
  Arena& memory = turn_.memory();
  auto& message = *new (memory.take(sizeof(msghdr))) msghdr{};
  const Bytes copy = memory.copy(std::as_bytes(std::span(parts)));
  message.msg_iov = reinterpret_cast<iovec*>(const_cast<std::byte*>(copy.data()));
  message.msg_iovlen = parts.size();
  message.msg_control = memory.take(kSegmentControl);
  message.msg_controllen = kSegmentControl;
  make_segment(*CMSG_FIRSTHDR(&message), static_cast<std::uint16_t>(run.segment));
  io_uring_prep_sendmsg(&sqe, conn.fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  queue(sqe, {.conn = &conn,
              .size = size,
              .buffer = kNoBuffer,
              .count = run.count,
              .segment = static_cast<std::uint32_t>(run.segment),
              .message = &message});
}

// The send of which one datagram is lost; null where all leave once more. The error of a connected
// socket may be that of an earlier datagram, so those behind the first are sent again, as they
// would have been by themselves.
const UringDatagrams::Send* UringDatagrams::send_failed(std::uint64_t place, int error) {
  const Send& send = sends_[place & 1][place >> 1];
  stats_.datagrams_out.add(-std::uint64_t{send.count});
  stats_.gathered_out.add(-std::uint64_t{send.count - 1});
  stats_.bytes_out.add(-std::uint64_t{send.size});
  if (send.count > 1 && offload_.refused(error, send.segment)) {
    send_again(send, 0);
    return nullptr;
  }
  const bool first_alone = send.conn && error != EAGAIN && error != ENOBUFS;
  if (first_alone) send_again(send, 1);
  stats_.datagrams_unsent.add(first_alone ? 1 : send.count);
  return &send;
}

// What a turn submitted stays in memory to the end of the next, and a receive buffer no longer than
// its sends.
void UringDatagrams::send_again(const Send& send, unsigned from) {
  if (send.count <= from) return;
  Arena& memory = turn_.memory();
  std::byte* const whole = memory.take(send.size);
  std::byte* end = whole;
  for (std::size_t i = 0; i < send.message->msg_iovlen; ++i) {
    const iovec& part = send.message->msg_iov[i];
    std::memcpy(end, part.iov_base, part.iov_len);
    end += part.iov_len;
  }
  msghdr header{};
  if (!send.conn) {
    const auto keep = [&memory](const void* data, std::size_t size) {
      const Bytes copy = memory.copy({static_cast<const std::byte*>(data), size});
      return const_cast<std::byte*>(copy.data());
    };
    header = *send.message;
    header.msg_name = keep(header.msg_name, header.msg_namelen);
    header.msg_control = keep(header.msg_control, header.msg_controllen);
    set_segment(header, 0);
  }
  unsigned place = 0;
  for_each_segment({whole, send.size}, send.segment, [&](Bytes one) {
    if (place++ < from) return;
    if (send.conn) return outbox_.add(*send.conn, one, {}, memory);
    const auto size = static_cast<std::uint32_t>(one.size());
    queue_answer({.conn = nullptr, .size = size, .buffer = kNoBuffer, .socket = send.socket},
                 header, one);
  });
}

void UringDatagrams::count_together(unsigned datagrams) noexcept {
  stats_.datagrams_in.add(datagrams - 1);
  stats_.gathered_in.add(datagrams - 1);
}

void UringDatagrams::receive_ended(int result) {
  stats_.rearmed.add();
  if (result != -ENOBUFS) return;
  stats_.out_of_buffers.add();
  buffers_.grow();
}

bool UringDatagrams::end_turn() {
  auto& submitted = sends_[turn_.submitted_parity()];
  for (const Send& send : submitted) {
    if (send.buffer != kNoBuffer) buffers_.give_back(send.buffer);
  }
  submitted.clear();
  buffers_.publish();
  return std::exchange(left_unread_, false);
}

// What the kernel refused may have something to be sent again.
void UringDatagrams::send_rest(Nanoseconds now) {
  std::vector<std::pair<std::uint64_t, int>> refused;
  for (queue_outbox(now); !sends_[turn_.parity()].empty(); queue_outbox(now)) {
    if (!submit_rest(refused)) return;
    turn_.pass();
    for (const auto& [place, error] : refused) send_failed(place, error);
    end_turn();
    turn_.end();
  }
}

// True when the kernel has taken every entry: it takes them in their order, and the last one is for
// nothing but its completion. Then `refused` has the places of the sends that it refused, and why.
bool UringDatagrams::submit_rest(std::vector<std::pair<std::uint64_t, int>>& refused) {
  io_uring_sqe& last = ring_.entry();
  io_uring_prep_nop(&last);
  io_uring_sqe_set_data64(&last, data_of(Kind::rest, 0));
  refused.clear();
  for (;;) {
    const int status = io_uring_submit_and_wait(ring_.get(), 1);
    stats_.system_calls.add();
    bool taken = false;
    io_uring_cqe* cqe;
    unsigned head, count = 0;
    io_uring_for_each_cqe(ring_.get(), head, cqe) {
      const std::uint64_t place = cqe->user_data >> (kOpBits + kKindBits);
      taken |= cqe->user_data == data_of(Kind::rest, 0);
      if (cqe->user_data == data_of(Kind::send, place)) refused.emplace_back(place, -cqe->res);
      ++count;
    }
    io_uring_cq_advance(ring_.get(), count);
    if (taken) return true;
    if (status < 0 && status != -EINTR && status != -EAGAIN && status != -EBUSY) return false;
  }
}

std::vector<std::string> UringDatagrams::describe() const {
  return {"UDP: multishot receive into " + std::to_string(buffers_.circulating()) +
              " buffers of 64 KiB, an entry for each send",
          offload_.describe(stats_)};
}

std::uint64_t UringDatagrams::dropped() const noexcept {
  std::uint64_t dropped = 0;
  for (const Fd& socket : bound_) dropped += drops_of(socket.get());
  for (const DatagramConn& conn : conns_) dropped += drops_of(conn.fd);
  return dropped;
}

}  // namespace wiremark::net
