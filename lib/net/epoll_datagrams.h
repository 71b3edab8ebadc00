// Datagrams for epoll, in batches: one recvmmsg(2) brings many, and one sendmmsg(2) answers them.
// Each of its messages may be many datagrams of one peer (udp_offload.h).
// Part of an EpollReactor, which has them once it has UDP.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/fd.h"
#include "net/datagram.h"
#include "net/outbox.h"
#include "net/reactor_options.h"
#include "net/udp_message.h"
#include "net/udp_offload.h"

namespace wiremark::net {

/// The memory of one batch, made once. One thread.
class DatagramBatch {
 public:
  /// A larger batch would hardly make a datagram cheaper, and 32 of 64 KiB are 2 MiB already.
  static constexpr unsigned kSize = 32;

  DatagramBatch(Offload& offload, ReactorStats& stats);

  /// Receives what is there, up to kSize messages; the number of them, or -errno.
  int receive(int socket);
  Bytes received(unsigned place) const noexcept { return {room(place), messages_[place].msg_len}; }
  /// Its sender, and the control messages that came with it.
  msghdr& header(unsigned place) noexcept { return messages_[place].msg_hdr; }
  /// As segment_of(). What it brought beyond one datagram is counted here.
  std::size_t segment(unsigned place) noexcept;

  /// Keeps an answer to the sender of datagram `place`, whose header has been prepared for it.
  /// Copied unless the answer lies where that datagram does.
  void answer(unsigned place, Bytes bytes);
  /// Keeps answers to datagrams that came together, in what is received or in memory().
  void answer_together(unsigned place, const Run& run);
  bool has_answer(unsigned place) const noexcept { return (answered_ >> place & 1) != 0; }
  /// For copies that stay until the next receive.
  Arena& memory() noexcept { return copies_; }
  /// Sends the answers kept. What the kernel does not take is counted and dropped.
  void send_answers(int socket);

  /// Sends one datagram over a connected socket, or drops it; returns 0 or the errno.
  int send(int socket, Bytes head, Bytes body);
  /// Sends a message, which is that many datagrams; returns 0 or the errno, which is not counted.
  int send(int socket, const msghdr& message, unsigned datagrams = 1);

 private:
  // Buffers of a power of two would all start in the same few sets of the cache.
  static constexpr std::size_t kStride = kDatagramRoom + 3 * 64;

  // Not a part of answer(), which would save registers for it.
  [[gnu::noinline]] void answer_copy(unsigned place, Bytes bytes);

  std::byte* room(unsigned place) const noexcept { return memory_.get() + place * kStride; }
  void sent_together(std::uint32_t places) noexcept;
  void failed(int socket, unsigned place, int error);

  Offload& offload_;
  ReactorStats& stats_;
  Arena copies_;
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
  unsigned used_ = kSize;          // Places that the last receive may have written to.
  std::uint32_t answered_ = 0;     // A bit for each place whose answer is to be sent.
  std::uint32_t together_ = 0;     // And for each of them that is several datagrams,
  std::array<Run, kSize> runs_{};  // which are these.
};

struct EpollDatagramConn : OutboxConn {
  bool queued = false;  ///< Still readable after its share of a turn.
};

/// The UDP sockets of a reactor: bound ones, which anybody may send to, and connected ones.
class EpollDatagrams {
 public:
  EpollDatagrams(const ReactorOptions& options, ReactorStats& stats)
      : stats_(stats), offload_(options.udp_offload), batch_(offload_, stats) {}
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

  /// 0, or the errno; for a datagram that waits for others of its turn, on_datagram_error tells.
  int send(DatagramConn& to, Bytes head, Bytes body) {
    auto& conn = static_cast<EpollDatagramConn&>(to);
    if (sends_ != Sends::alone) [[unlikely]]
      return hold(conn, head, body);
    return batch_.send(conn.fd, head, body);
  }
  /// Sends what waits at the end of a turn, and tells what of it could not be sent.
  template <DatagramClient H>
  void end_turn(Nanoseconds now, H& handler);
  bool has_unsent() const noexcept { return !outbox_.empty() || !failed_.empty(); }

  /// Datagrams that the kernel dropped because their socket was full.
  std::uint64_t dropped() const noexcept;
  std::vector<std::string> describe() const;
  std::size_t connections() const noexcept { return conns_.size(); }
  std::size_t sockets() const noexcept { return conns_.size() + bound_.size(); }
  template <class F>
  void for_each(F&& visit) {
    for (DatagramConn& conn : conns_) visit(conn);
  }

 private:
  // Batches of one socket in a turn, so that it does not starve the others.
  static constexpr int kBatchesPerTurn = 4;
  // What waits at most before it is sent: it should still be in the cache then.
  static constexpr std::size_t kOutboxMax = 256 << 10;

  struct Failed {
    EpollDatagramConn* conn;
    int error;
  };

  template <DatagramServer H>
  void answer_with_more(int socket, unsigned place, H& handler);
  template <DatagramClient H>
  void deliver_several(EpollDatagramConn& conn, unsigned messages, H& handler);
  int hold(EpollDatagramConn& conn, Bytes head, Bytes body);
  void send_outbox();
  unsigned send_run(EpollDatagramConn& conn, const Run& run, std::vector<iovec>& parts);

  ReactorStats& stats_;
  Offload offload_;
  DatagramBatch batch_;
  Answerable answerable_;
  // How datagrams leave: one has come, so one is sent; several have, and what is sent waits; or
  // nothing has, and what a connection sent in the turn before says whether it waits.
  enum class Sends { alone, wait, as_before };

  Outbox outbox_;
  GatherChoice choice_;
  Sends sends_ = Sends::as_before;
  Arena copies_;                // What is in the outbox.
  std::vector<Failed> failed_;  // And is to be told.
  std::vector<Failed> telling_;
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
      if (batch_.header(place).msg_controllen != kHopsAlone) [[unlikely]]
        answer_with_more(socket, place, handler);
      else if (!answerable_.prepare(batch_.header(place))) [[unlikely]]
        stats_.datagrams_refused.add();
      else if (const auto answer = handler.on_datagram(batch_.received(place)))
        batch_.answer(place, *answer);
    }
    batch_.send_answers(socket);
    batch_.memory().clear();
    if (count < static_cast<int>(DatagramBatch::kSize)) return true;
  }
  return false;
}

// Of a socket that is bound to all addresses, or of datagrams that came together.
template <DatagramServer H>
[[gnu::noinline]] void EpollDatagrams::answer_with_more(int socket, unsigned place, H& handler) {
  const Bytes bytes = batch_.received(place);
  const std::size_t segment = batch_.segment(place);
  if (!answerable_.prepare(batch_.header(place)))
    return stats_.datagrams_refused.add(datagrams_in(bytes, segment));
  if (segment == 0) {
    if (const auto answer = handler.on_datagram(bytes)) batch_.answer(place, *answer);
    return;
  }
  answer_each(bytes, segment, offload_, batch_.memory(), stats_, handler, [&](const Run& run) {
    if (batch_.has_answer(place)) batch_.send_answers(socket);
    batch_.answer_together(place, run);
  });
}

template <DatagramClient H>
void EpollDatagrams::end_turn(Nanoseconds now, H& handler) {
  choice_.turn(now, stats_.datagrams_in.get());
  outbox_.pass();
  if (!has_unsent()) [[likely]]
    return;
  send_outbox();
  telling_.swap(failed_);  // The handler may send more, which is told in the next turn.
  for (const Failed& failed : telling_) handler.on_datagram_error(*failed.conn, failed.error);
  telling_.clear();
}

// A socket reports the error of an earlier datagram once; the next call goes on with what has
// arrived.
template <DatagramClient H>
void EpollDatagrams::deliver(EpollDatagramConn& conn, H& handler) {
  for (int batches = 0; batches < kBatchesPerTurn; ++batches) {
    const int count = batch_.receive(conn.fd);
    if (count == 1 && batch_.header(0).msg_controllen == 0) [[likely]] {
      sends_ = Sends::alone;
      handler.on_datagram(conn, batch_.received(0));
      sends_ = Sends::as_before;
      return;
    }
    if (count == -EAGAIN) return;
    if (count < 0) handler.on_datagram_error(conn, -count);
    if (count > 0) deliver_several(conn, static_cast<unsigned>(count), handler);
    if (count >= 0 && count < static_cast<int>(DatagramBatch::kSize)) return;
  }
  if (!conn.queued) unfinished_.push_back(&conn);
  conn.queued = true;
}

// What is sent for them leaves before the next are received: the peer may begin on it.
template <DatagramClient H>
[[gnu::noinline]] void EpollDatagrams::deliver_several(EpollDatagramConn& conn, unsigned messages,
                                                       H& handler) {
  std::size_t segments[DatagramBatch::kSize];
  unsigned datagrams = 0;
  for (unsigned place = 0; place < messages; ++place) {
    segments[place] = batch_.segment(place);
    datagrams += datagrams_in(batch_.received(place), segments[place]);
  }
  sends_ = choice_.together(datagrams) ? Sends::wait : Sends::alone;
  for (unsigned place = 0; place < messages; ++place) {
    const Bytes bytes = batch_.received(place);
    if (segments[place] == 0) {
      handler.on_datagram(conn, bytes);
      continue;
    }
    for_each_segment(bytes, segments[place], [&](Bytes one) { handler.on_datagram(conn, one); });
  }
  sends_ = Sends::as_before;
  if (!outbox_.empty()) send_outbox();
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
