// Datagrams for epoll, in batches: one recvmmsg(2) brings many, and one sendmmsg(2) answers them.
#include "net/epoll_datagrams.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "net/socket.h"

namespace wiremark::net {

DatagramBatch::DatagramBatch(Offload& offload, ReactorStats& stats)
    : offload_(offload),
      stats_(stats),
      memory_(std::make_unique_for_overwrite<std::byte[]>(kSize * kStride)) {
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

std::size_t DatagramBatch::segment(unsigned place) noexcept {
  const std::size_t segment = segment_of(messages_[place].msg_hdr);
  if (segment == 0) return 0;
  const unsigned beyond_one = datagrams_in(received(place), segment) - 1;
  stats_.datagrams_in.add(beyond_one);
  stats_.gathered_in.add(beyond_one);
  return segment;
}

void DatagramBatch::answer_together(unsigned place, const Run& run) {
  set_segment(messages_[place].msg_hdr, run.count > 1 ? run.segment : 0);
  parts_[place] = {const_cast<std::byte*>(run.data), run.size};
  runs_[place] = run;
  answered_ |= 1u << place;
  if (run.count > 1) together_ |= 1u << place;
}

void DatagramBatch::send_answers(int socket) {
  while (answered_ != 0) {
    const auto first = static_cast<unsigned>(std::countr_zero(answered_));
    const auto run = static_cast<unsigned>(std::countr_one(answered_ >> first));
    const int count = ::sendmmsg(socket, &messages_[first], run, MSG_DONTWAIT);
    stats_.system_calls.add();
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) failed(socket, first, errno);  // Those behind it may still be taken.
    std::size_t bytes = 0;
    for (unsigned i = first; i < first + static_cast<unsigned>(std::max(count, 0)); ++i)
      bytes += messages_[i].msg_len;
    stats_.bytes_out.add(bytes);
    if (count > 0) stats_.datagrams_out.add(static_cast<unsigned>(count));
    const std::uint64_t over = std::uint64_t{1}
                               << (first + static_cast<unsigned>(std::max(count, 1)));
    const auto done = static_cast<std::uint32_t>(over - 1) & answered_;
    if ((together_ & done) != 0) [[unlikely]]
      sent_together(done);
    answered_ &= ~done;
  }
}

void DatagramBatch::sent_together(std::uint32_t places) noexcept {
  for (std::uint32_t left = together_ & places; left != 0; left &= left - 1) {
    const unsigned beyond_one = runs_[static_cast<unsigned>(std::countr_zero(left))].count - 1;
    stats_.datagrams_out.add(beyond_one);
    stats_.gathered_out.add(beyond_one);
  }
  together_ &= ~places;
}

void DatagramBatch::failed(int socket, unsigned place, int error) {
  if ((together_ >> place & 1) == 0) return stats_.datagrams_unsent.add();
  together_ &= ~(1u << place);
  const Run& run = runs_[place];
  if (!offload_.refused(error, run.segment)) return stats_.datagrams_unsent.add(run.count);
  msghdr& header = messages_[place].msg_hdr;
  set_segment(header, 0);
  for_each_segment({run.data, run.size}, run.segment, [&](Bytes one) {
    parts_[place] = {const_cast<std::byte*>(one.data()), one.size()};
    if (send(socket, header) != 0) stats_.datagrams_unsent.add();
  });
}

// Inlined: the way of a datagram that leaves alone is as short as it can be.
[[gnu::always_inline]] inline int DatagramBatch::send(int socket, const msghdr& message,
                                                      unsigned datagrams) {
  ssize_t count;
  do {
    count = ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    stats_.system_calls.add();
  } while (count < 0 && errno == EINTR);
  if (count < 0) return errno;
  stats_.datagrams_out.add(datagrams);
  stats_.bytes_out.add(static_cast<std::size_t>(count));
  return 0;
}

int DatagramBatch::send(int socket, Bytes head, Bytes body) {
  // The kernel takes the pointers without their const.
  iovec parts[2] = {{const_cast<std::byte*>(head.data()), head.size()},
                    {const_cast<std::byte*>(body.data()), body.size()}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  const int error = send(socket, message);
  if (error != 0) stats_.datagrams_unsent.add();
  return error;
}

EpollDatagrams::~EpollDatagrams() {
  for (const DatagramConn& conn : conns_) ::close(conn.fd);
}

void EpollDatagrams::add_bound(Fd socket, const Address& address) {
  offload_.ask(socket.get());
  bound_.push_back(std::move(socket));
  answerable_.add_own(address);
}

EpollDatagramConn& EpollDatagrams::add_connected(Fd socket, void* user) {
  offload_.ask(socket.get());
  EpollDatagramConn& conn = conns_.emplace_back();
  conn.fd = socket.release();
  conn.user = user;
  return conn;
}

int EpollDatagrams::hold(EpollDatagramConn& conn, Bytes head, Bytes body) {
  if (!offload_.gathers(1) || (sends_ == Sends::as_before && !outbox_.holds(conn)))
    return batch_.send(conn.fd, head, body);
  outbox_.add(conn, head, body, copies_);
  if (outbox_.bytes() > kOutboxMax) send_outbox();
  return 0;
}

void EpollDatagrams::send_outbox() {
  outbox_.send_all(offload_, choice_,
                   [this](OutboxConn& conn, const Run& run, std::vector<iovec>& parts) {
                     return send_run(static_cast<EpollDatagramConn&>(conn), run, parts);
                   });
  copies_.clear();
}

// Of those that the kernel does not take the first is lost, as it would be by itself: it may have
// come to tell of an earlier one.
unsigned EpollDatagrams::send_run(EpollDatagramConn& conn, const Run& run,
                                  std::vector<iovec>& parts) {
  alignas(cmsghdr) std::byte control[kSegmentControl] = {};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  if (run.count > 1) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    make_segment(*CMSG_FIRSTHDR(&message), static_cast<std::uint16_t>(run.segment));
  }
  const int error = batch_.send(conn.fd, message, run.count);
  if (error == 0) {
    stats_.gathered_out.add(run.count - 1);
    return run.count;
  }
  if (run.count > 1 && offload_.refused(error, run.segment)) return 0;
  stats_.datagrams_unsent.add();
  failed_.push_back({&conn, error});
  return 1;
}

std::vector<std::string> EpollDatagrams::describe() const {
  return {"UDP: recvmmsg(2) of up to " + std::to_string(DatagramBatch::kSize) +
              " messages, answered by one sendmmsg(2)",
          offload_.describe(stats_)};
}

std::uint64_t EpollDatagrams::dropped() const noexcept {
  std::uint64_t dropped = 0;
  for (const Fd& socket : bound_) dropped += drops_of(socket.get());
  for (const DatagramConn& conn : conns_) dropped += drops_of(conn.fd);
  return dropped;
}

}  // namespace wiremark::net
