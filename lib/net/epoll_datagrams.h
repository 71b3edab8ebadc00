// Datagrams for epoll, in batches: one recvmmsg(2) brings many, and one sendmmsg(2) answers them.
// Part of an EpollReactor, which has them once it has UDP.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/fd.h"
#include "net/datagram.h"
#include "net/reactor_options.h"
#include "net/udp_message.h"

namespace wiremark::net {

/// The memory of one batch, made once. One thread.
class DatagramBatch {
 public:
  /// A larger batch would hardly make a datagram cheaper, and 32 of 64 KiB are 2 MiB already.
  static constexpr unsigned kSize = 32;

  explicit DatagramBatch(ReactorStats& stats);

  /// Receives what is there, up to kSize datagrams; the number of them, or -errno.
  int receive(int socket);
  Bytes received(unsigned place) const noexcept { return {room(place), messages_[place].msg_len}; }
  /// Its sender, and the control messages that came with it.
  msghdr& header(unsigned place) noexcept { return messages_[place].msg_hdr; }

  /// Keeps an answer to the sender of datagram `place`, whose header has been prepared for it.
  /// Copied unless the answer lies where that datagram does.
  void answer(unsigned place, Bytes bytes);
  /// Sends the answers kept. What the kernel does not take is counted and dropped.
  void send_answers(int socket);

  /// Sends one datagram over a connected socket, or drops it; returns 0 or the errno.
  int send(int socket, Bytes head, Bytes body);

 private:
  // Buffers of a power of two would all start in the same few sets of the cache.
  static constexpr std::size_t kStride = kDatagramRoom + 3 * 64;

  // Not a part of answer(), which would save registers for it.
  [[gnu::noinline]] void answer_copy(unsigned place, Bytes bytes);

  std::byte* room(unsigned place) const noexcept { return memory_.get() + place * kStride; }

  ReactorStats& stats_;
  std::unique_ptr<std::byte[]> memory_;
  // What was received, and then the answer to it: where it came from is where it goes.
  std::array<mmsghdr, kSize> messages_{};
  std::array<iovec, kSize> parts_{};
  std::array<sockaddr_in6, kSize> senders_{};
  struct alignas(cmsghdr) Control {
    std::byte bytes[kControlRoom];
  };
  std::array<Control, kSize> controls_{};
  static_assert(kSize <= 32);
  unsigned used_ = kSize;       // Places that the last receive may have written to.
  std::uint32_t answered_ = 0;  // A bit for each place whose answer is to be sent.
};

struct EpollDatagramConn : DatagramConn {
  bool queued = false;  ///< Still readable after its share of a turn.
};

/// The UDP sockets of a reactor: bound ones, which anybody may send to, and connected ones.
class EpollDatagrams {
 public:
  explicit EpollDatagrams(ReactorStats& stats) : stats_(stats), batch_(stats) {}
  EpollDatagrams(const EpollDatagrams&) = delete;
  EpollDatagrams& operator=(const EpollDatagrams&) = delete;
  ~EpollDatagrams();

  void add_bound(Fd socket, const Address& address);
  EpollDatagramConn& add_connected(Fd socket, void* user);

  /// Answers what waits in a bound socket. If something is left, the next wait ends at once,
  /// because the socket is watched level-triggered. False when something may be left.
  template <DatagramServer H>
  bool answer(int socket, H& handler);
  /// Delivers what waits in a connected socket; what is left after its share is remembered.
  template <DatagramClient H>
  void deliver(EpollDatagramConn& conn, H& handler);
  /// Delivers another share of what was left.
  template <DatagramClient H>
  void deliver_unfinished(H& handler);
  bool has_unfinished() const noexcept { return !unfinished_.empty(); }

  int send(const DatagramConn& conn, Bytes head, Bytes body) {
    return batch_.send(conn.fd, head, body);
  }

  /// Datagrams that the kernel dropped because their socket was full.
  std::uint64_t dropped() const noexcept;
  std::size_t connections() const noexcept { return conns_.size(); }
  std::size_t sockets() const noexcept { return conns_.size() + bound_.size(); }
  template <class F>
  void for_each(F&& visit) {
    for (DatagramConn& conn : conns_) visit(conn);
  }

 private:
  // Batches of one socket in a turn, so that it does not starve the others.
  static constexpr int kBatchesPerTurn = 4;

  ReactorStats& stats_;
  DatagramBatch batch_;
  Answerable answerable_;
  std::vector<Fd> bound_;
  std::deque<EpollDatagramConn> conns_;  // A deque: elements do not move as it grows.
  std::vector<EpollDatagramConn*> unfinished_;
  std::vector<EpollDatagramConn*> continued_;  // Swapped with unfinished_ while it is walked.
};

template <DatagramServer H>
bool EpollDatagrams::answer(int socket, H& handler) {
  for (int batches = 0; batches < kBatchesPerTurn; ++batches) {
    const int count = batch_.receive(socket);
    for (int i = 0; i < count; ++i) {
      const auto place = static_cast<unsigned>(i);
      if (!answerable_.prepare(batch_.header(place))) [[unlikely]]
        stats_.datagrams_refused.add();
      else if (const auto answer = handler.on_datagram(batch_.received(place)))
        batch_.answer(place, *answer);
    }
    batch_.send_answers(socket);
    if (count < static_cast<int>(DatagramBatch::kSize)) return true;
  }
  return false;
}

// A socket reports the error of an earlier datagram once; the next call goes on with what has
// arrived.
template <DatagramClient H>
void EpollDatagrams::deliver(EpollDatagramConn& conn, H& handler) {
  for (int batches = 0; batches < kBatchesPerTurn; ++batches) {
    const int count = batch_.receive(conn.fd);
    if (count == -EAGAIN) return;
    if (count < 0) handler.on_datagram_error(conn, -count);
    for (int i = 0; i < count; ++i)
      handler.on_datagram(conn, batch_.received(static_cast<unsigned>(i)));
    if (count >= 0 && count < static_cast<int>(DatagramBatch::kSize)) return;
  }
  if (!conn.queued) unfinished_.push_back(&conn);
  conn.queued = true;
}

template <DatagramClient H>
void EpollDatagrams::deliver_unfinished(H& handler) {
  continued_.swap(unfinished_);
  for (EpollDatagramConn* conn : continued_) {
    conn->queued = false;
    deliver(*conn, handler);
  }
  continued_.clear();
}

}  // namespace wiremark::net
