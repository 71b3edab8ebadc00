// Datagrams for epoll, in batches: one recvmmsg(2) brings many, and one sendmmsg(2) answers them.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <memory>

#include "net/datagram.h"
#include "net/reactor_options.h"

namespace wiremark::net {

/// The memory of one batch, made once. One thread.
class DatagramBatch {
 public:
  /// More would hardly make a datagram cheaper, and 32 of 64 KiB are 2 MiB where all are long.
  static constexpr unsigned kSize = 32;

  explicit DatagramBatch(ReactorStats& stats);

  /// Receives what is there, up to kSize datagrams; the number of them, or -errno.
  int receive(int socket);
  Bytes received(unsigned place) const noexcept { return {room(place), received_[place].msg_len}; }

  /// Keeps an answer to the sender of what was received at `place`; copies it where it lies
  /// elsewhere.
  void answer(unsigned place, Bytes bytes);
  /// Sends the answers kept. What the kernel does not take is counted and dropped.
  void send_answers(int socket);

  /// Sends one over a connected socket, or not at all; 0 or the errno.
  int send(int socket, Bytes head, Bytes body);

 private:
  // Buffers of a power of two would all start in the same few sets of the cache.
  static constexpr std::size_t kStride = kDatagramRoom + 3 * 64;

  std::byte* room(unsigned place) const noexcept { return memory_.get() + place * kStride; }

  ReactorStats& stats_;
  std::unique_ptr<std::byte[]> memory_;
  std::array<mmsghdr, kSize> received_{};
  std::array<mmsghdr, kSize> answers_{};
  std::array<iovec, kSize> received_parts_{};
  std::array<iovec, kSize> answer_parts_{};
  std::array<sockaddr_in6, kSize> senders_{};
  struct alignas(cmsghdr) Control {
    std::byte bytes[kControlRoom];
  };
  std::array<Control, kSize> controls_{};
  unsigned used_ = kSize;  // Places that the last receive may have written to.
  unsigned answer_count_ = 0;
};

/// Batches that one socket may have in a turn, so that it does not starve the others.
inline constexpr int kBatchesPerTurn = 4;

/// Answers what waits in a socket that anybody may send to. What is left makes the next wait end at
/// once: the socket is watched level-triggered.
template <DatagramHandler H>
void answer_datagrams(DatagramBatch& batch, int socket, H& handler) {
  for (int batches = 0; batches < kBatchesPerTurn; ++batches) {
    const int count = batch.receive(socket);
    for (int i = 0; i < count; ++i) {
      const auto place = static_cast<unsigned>(i);
      if (const auto answer = handler.on_datagram(batch.received(place)))
        batch.answer(place, *answer);
    }
    batch.send_answers(socket);
    if (count < static_cast<int>(DatagramBatch::kSize)) return;
  }
}

/// Delivers what waits for a connection; false when there may be more. An error of the socket is
/// one of an earlier datagram, and the next call has what follows it.
template <Handler H>
bool deliver_datagrams(DatagramBatch& batch, Conn& conn, H& handler) {
  for (int batches = 0; conn.alive() && batches < kBatchesPerTurn; ++batches) {
    const int count = batch.receive(conn.fd);
    if (count == -EAGAIN) return true;
    if constexpr (DatagramClient<H>) {
      if (count < 0) handler.on_datagram_error(conn, -count);
    }
    for (int i = 0; i < count && conn.alive(); ++i)
      handler.on_data(conn, batch.received(static_cast<unsigned>(i)));
    if (count >= 0 && count < static_cast<int>(DatagramBatch::kSize)) return true;
  }
  return !conn.alive();
}

}  // namespace wiremark::net
