// Datagrams for io_uring: multishot receives into buffers that hold the longest, and sends that are
// over when the turn that submitted them is.
#include "net/uring_datagrams.h"

#include <netinet/in.h>

#include <cstring>
#include <new>

#include "net/socket.h"

namespace wiremark::net {

namespace {

// The address of a sender, rounded up so that the control message behind it is aligned.
constexpr std::size_t kNameRoom = 32;
static_assert(kNameRoom >= sizeof(sockaddr_in6));

// The kernel puts its own header, sender and destination in front of the bytes.
constexpr std::size_t kBufferSize =
    (sizeof(io_uring_recvmsg_out) + kNameRoom + kControlRoom + kDatagramRoom + 63) / 64 * 64;

}  // namespace

Result<std::unique_ptr<UringDatagrams>> UringDatagrams::open(Ring& ring, unsigned buffers,
                                                             std::uint64_t tag,
                                                             ReactorStats& stats) {
  auto memory = BufferRing::open(ring, buffers, kBufferSize, kGroup);
  if (!memory) return std::unexpected(memory.error());
  return std::unique_ptr<UringDatagrams>(new UringDatagrams(ring, std::move(*memory), tag, stats));
}

UringDatagrams::UringDatagrams(Ring& ring, BufferRing buffers, std::uint64_t tag,
                               ReactorStats& stats)
    : ring_(ring), buffers_(std::move(buffers)), tag_(tag), stats_(stats) {
  shape_.msg_namelen = kNameRoom;
  shape_.msg_controllen = kControlRoom;
}

std::uint64_t UringDatagrams::data_of(Kind kind, std::uint32_t parity,
                                      std::size_t place) const noexcept {
  return ((static_cast<std::uint64_t>(place) << kParityBits | parity) << kKindBits |
          static_cast<std::uint64_t>(kind))
             << kTagBits |
         tag_;
}

void UringDatagrams::listen(Fd socket) {
  sockets_.push_back(std::move(socket));
  arm(sockets_.size() - 1);
}

void UringDatagrams::arm(std::size_t socket) {
  io_uring_sqe& sqe = ring_.entry();
  io_uring_prep_recvmsg_multishot(&sqe, sockets_[socket].get(), &shape_, 0);
  sqe.flags |= IOSQE_BUFFER_SELECT;
  sqe.buf_group = kGroup;
  io_uring_sqe_set_data64(&sqe, data_of(Kind::receive, 0, socket));
}

void UringDatagrams::queue(io_uring_sqe& sqe, const Send& send, std::uint32_t turn) {
  auto& queued = sends_[turn & 1];
  sqe.flags |= IOSQE_CQE_SKIP_SUCCESS;
  io_uring_sqe_set_data64(&sqe, data_of(Kind::send, turn & 1, queued.size()));
  queued.push_back(send);
  stats_.datagrams_out.add();
  stats_.bytes_out.add(send.size);
}

// The answer borrows sender and destination, and its bytes where it can, from the buffer of what it
// answers.
void UringDatagrams::answer(std::size_t socket, unsigned buffer, io_uring_recvmsg_out& received,
                            Bytes bytes, std::uint32_t turn) {
  struct Message {
    msghdr header;
    iovec part;
  };
  Arena& memory = memory_[turn & 1];
  if (!bytes.empty() && !buffers_.holds(buffer, bytes.data())) {
    std::byte* copy = memory.take(bytes.size());
    std::memcpy(copy, bytes.data(), bytes.size());
    stats_.copied.add(bytes.size());
    bytes = {copy, bytes.size()};
  }
  auto& message = *new (memory.take(sizeof(Message))) Message{};
  message.part = {const_cast<std::byte*>(bytes.data()), bytes.size()};
  message.header.msg_name = io_uring_recvmsg_name(&received);
  message.header.msg_namelen = received.namelen;
  message.header.msg_iov = &message.part;
  message.header.msg_iovlen = 1;
  if (received.controllen > 0) {
    message.header.msg_control =
        static_cast<std::byte*>(message.header.msg_name) + shape_.msg_namelen;
    message.header.msg_controllen = received.controllen;
    make_source(message.header);
  }
  io_uring_sqe& sqe = ring_.entry();
  io_uring_prep_sendmsg(&sqe, sockets_[socket].get(), &message.header, MSG_NOSIGNAL | MSG_DONTWAIT);
  queue(sqe, {nullptr, static_cast<std::uint32_t>(bytes.size()), buffer}, turn);
}

void UringDatagrams::send(UringConn& conn, Bytes head, Bytes body, std::uint32_t turn) {
  const std::size_t size = head.size() + body.size();
  std::byte* copy = memory_[turn & 1].take(size);
  std::memcpy(copy, head.data(), head.size());
  if (!body.empty()) std::memcpy(copy + head.size(), body.data(), body.size());
  io_uring_sqe& sqe = ring_.entry();
  io_uring_prep_send(&sqe, conn.fd, copy, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  queue(sqe, {&conn, static_cast<std::uint32_t>(size), kNoBuffer}, turn);
  conn.turn = turn;
}

const UringDatagrams::Send& UringDatagrams::send_failed(std::uint64_t data) {
  const std::uint64_t place = data >> kKindBits;
  const Send& send = sends_[place & 1][place >> kParityBits];
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

void UringDatagrams::end_turn(std::uint32_t turn) {
  const std::uint32_t submitted = (turn - 1) & 1;
  for (const Send& send : sends_[submitted]) {
    if (send.buffer != kNoBuffer) buffers_.give_back(send.buffer);
  }
  sends_[submitted].clear();
  memory_[submitted].clear();
  buffers_.publish();
}

std::string UringDatagrams::describe() const {
  return "UDP: multishot receive into " + std::to_string(buffers_.circulating()) +
         " buffers of 64 KiB, an entry for each datagram sent";
}

std::uint64_t UringDatagrams::dropped() const noexcept {
  std::uint64_t dropped = 0;
  for (const Fd& socket : sockets_) dropped += drops_of(socket.get());
  return dropped;
}

}  // namespace wiremark::net
