// Datagrams for epoll, in batches: one recvmmsg(2) brings many, and one sendmmsg(2) answers them.
#include "net/epoll_datagrams.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "net/socket.h"

namespace wiremark::net {

DatagramBatch::DatagramBatch(ReactorStats& stats)
    : stats_(stats), memory_(std::make_unique_for_overwrite<std::byte[]>(kSize * kStride)) {
  for (unsigned i = 0; i < kSize; ++i) {
    msghdr& message = messages_[i].msg_hdr;
    message.msg_iov = &parts_[i];
    message.msg_iovlen = 1;
    message.msg_name = &senders_[i];
    message.msg_control = controls_[i].bytes;
  }
}

int DatagramBatch::receive(int socket) {
  std::byte* room = memory_.get();
  for (unsigned i = 0; i < used_; ++i, room += kStride) {  // The kernel and answers overwrote it.
    messages_[i].msg_hdr.msg_namelen = sizeof senders_[i];
    messages_[i].msg_hdr.msg_controllen = sizeof controls_[i];
    parts_[i] = {room, kDatagramRoom};
  }
  int count;
  do {
    count = ::recvmmsg(socket, messages_.data(), kSize, MSG_DONTWAIT, nullptr);
    stats_.system_calls.add();
  } while (count < 0 && errno == EINTR);
  if (count < 0) {
    used_ = 0;
    return -errno;
  }
  used_ = static_cast<unsigned>(count);
  std::size_t bytes = 0;
  for (unsigned i = 0; i < used_; ++i) bytes += messages_[i].msg_len;
  stats_.datagrams_in.add(used_);
  stats_.bytes_in.add(bytes);
  return count;
}

void DatagramBatch::answer(unsigned place, Bytes bytes) {
  if (static_cast<std::size_t>(bytes.data() - room(place)) >= kDatagramRoom) [[unlikely]]
    return answer_copy(place, bytes);
  parts_[place] = {const_cast<std::byte*>(bytes.data()), bytes.size()};
  answered_ |= 1u << place;
}

void DatagramBatch::answer_copy(unsigned place, Bytes bytes) {
  if (bytes.size() > kDatagramRoom) return stats_.datagrams_unsent.add();
  std::byte* const start = room(place);
  if (!bytes.empty()) std::memcpy(start, bytes.data(), bytes.size());
  stats_.copied.add(bytes.size());
  answer(place, {start, bytes.size()});
}

void DatagramBatch::send_answers(int socket) {
  while (answered_ != 0) {
    const auto first = static_cast<unsigned>(std::countr_zero(answered_));
    const auto run = static_cast<unsigned>(std::countr_one(answered_ >> first));
    const int count = ::sendmmsg(socket, &messages_[first], run, MSG_DONTWAIT);
    stats_.system_calls.add();
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      stats_.datagrams_unsent.add();  // The first one failed; those behind it may still be taken.
    std::size_t bytes = 0;
    for (unsigned i = first; i < first + static_cast<unsigned>(std::max(count, 0)); ++i)
      bytes += messages_[i].msg_len;
    stats_.bytes_out.add(bytes);
    if (count > 0) stats_.datagrams_out.add(static_cast<unsigned>(count));
    const std::uint64_t over = std::uint64_t{1}
                               << (first + static_cast<unsigned>(std::max(count, 1)));
    answered_ &= static_cast<std::uint32_t>(~(over - 1));
  }
}

int DatagramBatch::send(int socket, Bytes head, Bytes body) {
  // The kernel takes the pointers without their const.
  iovec parts[2] = {{const_cast<std::byte*>(head.data()), head.size()},
                    {const_cast<std::byte*>(body.data()), body.size()}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  ssize_t count;
  do {
    count = ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    stats_.system_calls.add();
  } while (count < 0 && errno == EINTR);
  if (count < 0) {
    stats_.datagrams_unsent.add();
    return errno;
  }
  stats_.datagrams_out.add();
  stats_.bytes_out.add(static_cast<std::size_t>(count));
  return 0;
}

EpollDatagrams::~EpollDatagrams() {
  for (const DatagramConn& conn : conns_) ::close(conn.fd);
}

void EpollDatagrams::add_bound(Fd socket, const Address& address) {
  bound_.push_back(std::move(socket));
  answerable_.add_own(address);
}

EpollDatagramConn& EpollDatagrams::add_connected(Fd socket, void* user) {
  EpollDatagramConn& conn = conns_.emplace_back();
  conn.fd = socket.release();
  conn.user = user;
  return conn;
}

std::uint64_t EpollDatagrams::dropped() const noexcept {
  std::uint64_t dropped = 0;
  for (const Fd& socket : bound_) dropped += drops_of(socket.get());
  for (const DatagramConn& conn : conns_) dropped += drops_of(conn.fd);
  return dropped;
}

}  // namespace wiremark::net
