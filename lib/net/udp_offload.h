// Datagrams that the kernel takes and hands over together: one send of many (UDP_SEGMENT, "GSO")
// and one receive of many (UDP_GRO), udp(7). A handler sees each of them by itself.
#pragma once

#include <sys/socket.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "base/arena.h"
#include "base/bytes.h"
#include "net/datagram.h"
#include "net/reactor_options.h"
#include "net/udp_message.h"

namespace wiremark::net {

/// The most datagrams of one send (UDP_MAX_SEGMENTS; 128 since Linux 6.9).
inline constexpr unsigned kSegmentsMax = 64;

/// Room for the control message that gives the size of the segments.
inline constexpr std::size_t kSegmentControl = CMSG_SPACE(sizeof(std::uint16_t));

/// Makes it the control message that tells the kernel to cut a send into datagrams of `size` bytes.
void make_segment(cmsghdr& control, std::uint16_t size) noexcept;

/// The size of the datagrams that came together, of which the last may be shorter, in the header of
/// a receive or of the answer to it; 0 where one came alone.
std::size_t segment_of(const msghdr& header) noexcept;

/// Changes that size for an answer. 0: the answer is one datagram.
void set_segment(msghdr& header, std::size_t size) noexcept;

/// How many they are.
inline unsigned datagrams_in(Bytes all, std::size_t segment) noexcept {
  return segment == 0 ? 1 : static_cast<unsigned>((all.size() + segment - 1) / segment);
}

/// Calls visit(bytes) for each datagram of a receive.
template <class F>
void for_each_segment(Bytes all, std::size_t segment, F&& visit) {
  while (!all.empty()) {
    const std::size_t size = std::min(segment, all.size());
    visit(all.first(size));
    all = all.subspan(size);
  }
}

/// What leaves in one send: datagrams of `segment` bytes, of which the last may be shorter.
struct Run {
  const std::byte* data = nullptr;
  std::size_t size = 0;
  std::size_t segment = 0;
  unsigned count = 0;
  bool open = false;  ///< No datagram of it is shorter, and it may be gathered.

  /// Whether the kernel could take one of `bytes` more behind it.
  bool has_room(std::size_t bytes) const noexcept {
    return open && bytes > 0 && bytes <= segment && count < kSegmentsMax &&
           size + bytes <= kDatagramMax;
  }
  void join(std::size_t bytes) noexcept {
    size += bytes;
    open = bytes == segment;
    ++count;
  }
};

/// What a reactor's sockets gather, and what the kernel refuses. Written by one thread.
class Offload {
 public:
  explicit Offload(bool wanted) : limit_(wanted ? kDatagramMax / 2 : 0), wanted_(wanted) {}

  /// Asks the kernel to hand over together what it received together, and whether it would send so
  /// (Linux 5.0). True where a receive may bring several.
  bool ask(int socket) noexcept;

  /// Whether datagrams of `size` bytes may leave together.
  bool gathers(std::size_t size) const noexcept { return size - 1 < limit_; }
  Run run_of(const std::byte* data, std::size_t size) const noexcept {
    return {.data = data, .size = size, .segment = size, .count = 1, .open = gathers(size)};
  }

  /// For a gathered send that failed: true where the kernel refuses such sends, of that size
  /// (EINVAL, EMSGSIZE: they are longer than what the route carries) or altogether (EIO: the device
  /// makes no checksums). From then on they leave one by one; those of the send are to be sent
  /// again.
  bool refused(int error, std::size_t segment) noexcept;

  /// Lines for a result.
  std::string describe(const ReactorStats& stats) const;

 private:
  std::size_t limit_;  // The longest datagrams that leave together.
  bool wanted_;
  bool receives_ = false;
  int receive_error_ = 0;
  int send_error_ = 0;
  std::size_t refused_size_ = 0;
};

/// Copies of datagrams in an arena, one directly behind another as long as there is room, so that a
/// send of several is one piece of memory.
class TightCopies {
 public:
  std::byte* take(Arena& arena, std::size_t size) {
    if (size > left_) [[unlikely]] {
      left_ = std::max(size, kBlock);
      next_ = arena.take(left_);
    }
    std::byte* const piece = next_;
    next_ += size;
    left_ -= size;
    return piece;
  }
  /// Call it before the arena is cleared, or another is used.
  void forget() noexcept { left_ = 0; }

 private:
  static constexpr std::size_t kBlock = 16 << 10;

  std::byte* next_ = nullptr;
  std::size_t left_ = 0;
};

/// Answers each datagram of a receive, and calls send(run) for as few sends as can carry the
/// answers. Those that do not lie in what was received are copied, and counted so.
template <DatagramServer H, class F>
void answer_each(Bytes all, std::size_t segment, const Offload& offload, Arena& arena,
                 ReactorStats& stats, H& handler, F&& send) {
  Run run;
  TightCopies copies;
  for_each_segment(all, segment, [&](Bytes one) {
    const auto answer = handler.on_datagram(one);
    if (!answer) return;
    Bytes bytes = *answer;
    if (bytes.size() > kDatagramRoom) return stats.datagrams_unsent.add();
    if (bytes.data() < all.data() || bytes.data() >= all.data() + all.size()) {
      stats.copied.add(bytes.size());
      std::byte* const copy = copies.take(arena, bytes.size());
      if (!bytes.empty()) std::memcpy(copy, bytes.data(), bytes.size());
      bytes = {copy, bytes.size()};
    }
    if (run.has_room(bytes.size()) && bytes.data() == run.data + run.size)
      return run.join(bytes.size());
    if (run.count > 0) send(run);
    run = offload.run_of(bytes.data(), bytes.size());
  });
  if (run.count > 0) send(run);
}

}  // namespace wiremark::net
