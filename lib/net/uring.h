// An io_uring made for one thread, its receive buffers, and what this kernel allows of it.
// Cold: everything here happens once; the hot path is uring_reactor.h.
#pragma once

#include <liburing.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/result.h"
#include "net/uring_compat.h"
#include "net/uring_options.h"

namespace wiremark::net {

/// A ring with SINGLE_ISSUER and DEFER_TASKRUN (Linux 6.1): completions are made in the thread that
/// waits for them, which measured 30 % less CPU per message than without. Must be opened on the
/// thread that uses it.
class Ring {
 public:
  /// Errors: EPERM where io_uring is denied, ENOSYS and EINVAL on an old kernel, ENOMEM over a
  /// limit; the message names the fix.
  /// What of `options` cannot be had is left out, and missing() says why.
  static Result<Ring> open(const UringOptions& options);
  Ring(Ring&& other) noexcept;
  Ring& operator=(Ring&&) = delete;
  ~Ring();

  /// An empty submission entry; makes room by submitting when the queue is full.
  io_uring_sqe& entry();
  io_uring* get() noexcept { return &ring_; }
  /// How often entry() had to submit: an entry of before is out of reach.
  std::uint64_t submissions() const noexcept { return submissions_; }

  /// True when completions are in the queue, or the next enter would bring some. A spinning loop
  /// looks here instead of entering the kernel.
  bool has_work() const noexcept;
  /// True when the kernel has more completions than the last enter brought, and now and then when
  /// it has none: it adds work to its list first and sets the flag then, which stays if the work
  /// was done in between, until there is other work (io_req_local_work_add, Linux 6.18).
  bool is_behind() const noexcept {
    return IO_URING_READ_ONCE(*ring_.sq.kflags) & (IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW);
  }

  /// Submits and sleeps until something completes or it is `until`, which may be kNever. Before
  /// `gather` it sleeps on while fewer than a batch have completed. Returns the system calls made.
  unsigned wait(Nanoseconds now, Nanoseconds gather, Nanoseconds until);

  /// The options that are active.
  const UringOptions& active() const noexcept { return active_; }
  /// Whether a receive may fill several buffers (Linux 6.10), asked for or not.
  bool can_bundle() const noexcept { return ring_.features & kFeatBundle; }
  /// What was asked for and is not, a line each with the reason.
  const std::vector<std::string>& missing() const noexcept { return missing_; }

  /// Submits, and throws away what has completed.
  void discard() noexcept;

  /// Cancels everything under way and waits for it (Linux 6.0). The kernel is given a second, and
  /// takes longer with thousands of receives: 5.7 s were seen.
  void cancel_all();

 private:
  Ring() = default;

  int set_up(const UringOptions& options);
  void probe(const UringOptions& asked);

  io_uring ring_{};
  UringOptions active_;
  std::vector<std::string> missing_;
  std::uint64_t submissions_ = 0;
  bool open_ = false;
};

/// Buffers that the kernel picks for receives (Linux 5.19). The ring hands them out in turn, so
/// only few are put into use at first, which stay in cache; grow() adds more as long as what they
/// hold fits the cache.
class BufferRing {
 public:
  static Result<BufferRing> open(Ring& ring, unsigned count, std::size_t size,
                                 std::uint16_t group = 0);
  BufferRing(BufferRing&& other) noexcept;
  BufferRing& operator=(BufferRing&&) = delete;
  ~BufferRing();

  Bytes view(unsigned id, std::size_t size) const noexcept {
    return {memory_ + id * stride_, size};
  }

  /// The buffer that the kernel fills after `id` in a receive that takes several. An entry of the
  /// ring is overwritten only after all buffers before it have been given back.
  unsigned after(unsigned id) const noexcept {
    return ring_->bufs[(place_[id] + 1) & (count_ - 1)].bid;
  }

  bool holds(unsigned id, const std::byte* where) const noexcept {
    const std::byte* start = memory_ + id * stride_;
    return where >= start && where < start + size_;
  }

  /// To be told how much the kernel has put into a buffer.
  void filled(std::size_t size) noexcept { fill_ = (15 * fill_ + size) / 16; }

  /// Gives a buffer back to the kernel, which sees it after publish().
  void give_back(unsigned id) noexcept {
    if (circulating_ > most_) [[unlikely]]
      return put_aside(id);
    io_uring_buf_ring_add(ring_, memory_ + id * stride_, static_cast<unsigned>(size_),
                          static_cast<unsigned short>(id), static_cast<int>(count_ - 1),
                          pending_++);
    place_[id] = static_cast<std::uint16_t>(added_++ & (count_ - 1));
  }
  void publish() noexcept {
    if (pending_ > 0) io_uring_buf_ring_advance(ring_, pending_);
    pending_ = 0;
    grown_ = false;
  }

  /// Doubles the buffers in use if there are more and the cache has room for them. Once for each
  /// publish(): all receives that found none before it lacked the same ones.
  void grow() noexcept;

  /// To be told of each turn whether most of its bytes were parts of long messages. Those need no
  /// more buffers than one receive fills: a receive that finds none begins again in the next turn,
  /// and what was received is still in the cache when it is sent.
  void hold_long(bool most) noexcept { most_ = most ? most_of_long_ : count_; }

  unsigned circulating() const noexcept { return circulating_; }
  std::size_t size() const noexcept { return size_; }

 private:
  BufferRing() = default;

  void take_in(unsigned wanted) noexcept;
  void put_aside(unsigned id) noexcept;

  io_uring_buf_ring* ring_ = nullptr;
  std::byte* memory_ = nullptr;
  std::size_t size_ = 0;
  std::size_t stride_ = 0;
  std::size_t fill_ = 0;  // Moving average of the bytes in a filled buffer.
  unsigned count_ = 0;
  unsigned circulating_ = 0;
  unsigned most_ = 0;          // That may circulate now.
  unsigned most_of_long_ = 0;  // That may while long messages come.
  int pending_ = 0;
  bool grown_ = false;  // Since the last publish().
  unsigned added_ =
      0;  // Buffers given back since the start: the tail of the ring once they are published.
  std::vector<std::uint16_t> unused_;  // The buffers that do not circulate.
  std::vector<std::uint16_t> place_;   // The entry of the ring in which each buffer was put last.
};

}  // namespace wiremark::net
