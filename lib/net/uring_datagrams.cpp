// Datagrams for io_uring: multishot receives into buffers that hold the longest datagram, and sends
// that end with the turn that submitted them.
#include "net/uring_datagrams.h"

#include <netinet/in.h>
#include <unistd.h>

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

Result<std::unique_ptr<UringDatagrams>> UringDatagrams::open(Ring& ring, unsigned buffers,
                                                             UringTurn& turn, ReactorStats& stats) {
  auto memory = BufferRing::open(ring, buffers, kBufferSize, kGroup);
  if (!memory) return std::unexpected(memory.error());
  return std::unique_ptr<UringDatagrams>(new UringDatagrams(ring, std::move(*memory), turn, stats));
}

UringDatagrams::UringDatagrams(Ring& ring, BufferRing buffers, UringTurn& turn, ReactorStats& stats)
    : ring_(ring), buffers_(std::move(buffers)), turn_(turn), stats_(stats) {
  shape_.msg_namelen = kNameRoom;
  shape_.msg_controllen = kControlRoom;
}

UringDatagrams::~UringDatagrams() {
  for (const DatagramConn& conn : conns_) ::close(conn.fd);
}

void UringDatagrams::add_bound(Fd socket, const Address& address) {
  answerable_.add_own(address);
  bound_.push_back(std::move(socket));
  arm_bound(bound_.size() - 1);
}

DatagramConn& UringDatagrams::add_connected(Fd socket, void* user) {
  conns_.push_back({.user = user, .fd = socket.release()});
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
  stats_.datagrams_out.add();
  stats_.bytes_out.add(send.size);
}

// The header of a datagram lies in front of it.
msghdr UringDatagrams::header_of(io_uring_recvmsg_out& received) const noexcept {
  msghdr header{};
  header.msg_name = io_uring_recvmsg_name(&received);
  header.msg_namelen = received.namelen;
  if (received.controllen == 0) return header;
  header.msg_control = static_cast<std::byte*>(header.msg_name) + shape_.msg_namelen;
  header.msg_controllen = received.controllen;
  return header;
}

// The answer is sent from the buffer of what it answers: sender and destination, and its bytes if
// they lie there.
void UringDatagrams::answer(std::size_t socket, unsigned buffer, const msghdr& header,
                            Bytes bytes) {
  struct Message {
    msghdr header;
    iovec part;
  };
  Arena& memory = turn_.memory();
  if (!bytes.empty() && !buffers_.holds(buffer, bytes.data())) {
    bytes = memory.copy(bytes);
    stats_.copied.add(bytes.size());
  }
  auto& message = *new (memory.take(sizeof(Message))) Message{.header = header, .part = {}};
  message.part = {const_cast<std::byte*>(bytes.data()), bytes.size()};
  message.header.msg_iov = &message.part;
  message.header.msg_iovlen = 1;
  io_uring_sqe& sqe = ring_.entry();
  io_uring_prep_sendmsg(&sqe, bound_[socket].get(), &message.header, MSG_NOSIGNAL | MSG_DONTWAIT);
  queue(sqe, {nullptr, static_cast<std::uint32_t>(bytes.size()), buffer});
}

void UringDatagrams::send(DatagramConn& conn, Bytes head, Bytes body) {
  const std::size_t size = head.size() + body.size();
  std::byte* copy = turn_.memory().take(size);
  if (!head.empty()) std::memcpy(copy, head.data(), head.size());
  if (!body.empty()) std::memcpy(copy + head.size(), body.data(), body.size());
  io_uring_sqe& sqe = ring_.entry();
  io_uring_prep_send(&sqe, conn.fd, copy, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  queue(sqe, {&conn, static_cast<std::uint32_t>(size), kNoBuffer});
}

const UringDatagrams::Send& UringDatagrams::send_failed(std::uint64_t place) {
  const Send& send = sends_[place & 1][place >> 1];
  stats_.datagrams_unsent.add();
  stats_.datagrams_out.add(-1UL);
  stats_.bytes_out.add(-std::uint64_t{send.size});
  return send;
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

std::string UringDatagrams::describe() const {
  return "UDP: multishot receive into " + std::to_string(buffers_.circulating()) +
         " buffers of 64 KiB, an entry for each datagram sent";
}

std::uint64_t UringDatagrams::dropped() const noexcept {
  std::uint64_t dropped = 0;
  for (const Fd& socket : bound_) dropped += drops_of(socket.get());
  for (const DatagramConn& conn : conns_) dropped += drops_of(conn.fd);
  return dropped;
}

}  // namespace wiremark::net
