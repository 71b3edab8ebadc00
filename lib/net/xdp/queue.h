// One AF_XDP socket: the frames of one receive queue, in memory that the kernel shares.
#pragma once

#include <linux/if_xdp.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "net/xdp/program.h"

namespace wiremark::net::xdp {

/// Memory from mmap(2).
class Mapping {
 public:
  Mapping() noexcept = default;
  Mapping(void* start, std::size_t size) noexcept : start_(start), size_(size) {}
  Mapping(Mapping&& other) noexcept { swap(other); }
  Mapping& operator=(Mapping&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Mapping();

  std::byte* data() const noexcept { return static_cast<std::byte*>(start_); }

 private:
  void swap(Mapping& other) noexcept {
    std::swap(start_, other.start_);
    std::swap(size_, other.size_);
  }

  void* start_ = nullptr;
  std::size_t size_ = 0;
};

/// One of the four rings of a socket: one side writes entries, the other reads them. Every frame
/// is in one ring or in our hands, and each ring has room for all of them, so none is ever full.
template <class T>
class Ring {
 public:
  static constexpr std::uint32_t kSize = 4096;

  Ring() noexcept = default;
  Ring(Mapping memory, const xdp_ring_offset& at) noexcept : memory_(std::move(memory)) {
    producer_ = reinterpret_cast<std::uint32_t*>(memory_.data() + at.producer);
    consumer_ = reinterpret_cast<std::uint32_t*>(memory_.data() + at.consumer);
    flags_ = reinterpret_cast<std::uint32_t*>(memory_.data() + at.flags);
    entries_ = reinterpret_cast<T*>(memory_.data() + at.desc);
  }

  // Of a ring that the kernel reads. What was put is handed over by submit().
  void put(const T& entry) noexcept { entries_[next_++ % kSize] = entry; }
  void submit() noexcept { std::atomic_ref(*producer_).store(next_, std::memory_order_release); }
  std::uint32_t unread() const noexcept {
    return next_ - std::atomic_ref(*consumer_).load(std::memory_order_acquire);
  }
  bool wants_call() const noexcept {
    return std::atomic_ref(*flags_).load(std::memory_order_relaxed) & XDP_RING_NEED_WAKEUP;
  }

  // Of a ring that the kernel writes. What was taken is given back by release().
  std::uint32_t filled() const noexcept {
    return std::atomic_ref(*producer_).load(std::memory_order_acquire) - next_;
  }
  const T& take() noexcept { return entries_[next_++ % kSize]; }
  void release() noexcept { std::atomic_ref(*consumer_).store(next_, std::memory_order_release); }

 private:
  Mapping memory_;
  std::uint32_t* producer_ = nullptr;
  std::uint32_t* consumer_ = nullptr;
  std::uint32_t* flags_ = nullptr;
  T* entries_ = nullptr;
  std::uint32_t next_ = 0;
};

/// One thread.
class Queue {
 public:
  /// Bytes of a frame, a page; the kernel keeps XDP_PACKET_HEADROOM of them for the driver.
  static constexpr std::size_t kFrame = 4096;
  static constexpr std::size_t kHeadroom = 256;
  /// The longest frame that fits, which the kernel does not check.
  static constexpr std::size_t kRoom = kFrame - kHeadroom;

  /// `generic`: the program runs behind the driver, where zero-copy cannot be.
  /// `asks`: sends first, from frames that are kept for it, instead of sending back those received.
  static Result<Queue> open(unsigned interface, unsigned queue, bool generic, bool asks);

  int fd() const noexcept { return socket_.get(); }
  bool zero_copy() const noexcept { return zero_copy_; }
  /// Frames that the kernel dropped for want of room.
  std::uint64_t dropped() const noexcept;

  std::uint32_t received() const noexcept { return receive_.filled(); }
  /// The next frame, with all of the room behind its start. Each is either sent or put back.
  std::span<std::byte> take(std::size_t& size) noexcept;
  void send(std::span<std::byte> frame, std::size_t size) noexcept;
  void put_back(std::span<std::byte> frame) noexcept;

  /// A frame kept for sending, to be sent next; empty while all of them are under way.
  std::span<std::byte> spare() noexcept;

  /// Hands over what was sent and put back, and gives the frames that have left to the driver, or
  /// to spare(). Returns the system calls made.
  unsigned submit() noexcept;
  /// Frames that the kernel has not yet looked at.
  bool unsent() const noexcept { return send_.unread() > 0; }
  /// A driver waits for poll(2) before it receives more.
  bool wants_call() const noexcept { return fill_.wants_call(); }

 private:
  std::uint64_t offset_of(const std::byte* at) const noexcept {
    return static_cast<std::uint64_t>(at - frames_.data());
  }

  Mapping frames_;
  Fd socket_;
  Ring<std::uint64_t> fill_;
  Ring<std::uint64_t> completed_;
  Ring<xdp_desc> receive_;
  Ring<xdp_desc> send_;
  bool asks_ = false;
  std::vector<std::uint64_t> spare_;  // Offsets of frames.
  bool zero_copy_ = false;
};

}  // namespace wiremark::net::xdp
