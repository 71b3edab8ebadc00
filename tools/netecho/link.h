// One connection of the staged server, and how its three threads notify one another of it.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/byte_ring.h"
#include "base/clock.h"
#include "base/fd.h"

namespace wiremark::tools {

/// Made by the receiver; freed by the processor when both other threads are done with it.
struct Link {
  Link(int descriptor, std::size_t ring_size) : fd(descriptor), in(ring_size), out(ring_size) {}

  const int fd;  ///< Open as long as the link lives.
  ByteRing in;   ///< From the receiver to the processor.
  ByteRing out;  ///< From the processor to the sender.

  /// Set by the receiver: when the oldest bytes that the processor has not looked at came; 0: none.
  std::atomic<Nanoseconds> arrived_ns{0};

  // The receiver's, and the processor's once `ended` is set, when nothing more comes.
  Fd socket;
  std::vector<std::byte> rest;  ///< What had no room in the ring.
  int receive_error = 0;
  std::atomic<bool> ended{false};

  // The processor's.
  bool refused = false;             ///< It sent something malformed: whatever follows is dropped.
  std::atomic<bool> last{false};    ///< Nothing follows what is in `out`.
  std::atomic<bool> posted{false};  ///< Set by the processor, cleared by the sender.

  // The sender's.
  bool waiting = false;  ///< Until the socket becomes writable.
  int send_error = 0;
  std::atomic<bool> failed{false};  ///< Sending failed with send_error.
  std::atomic<bool> sent{false};    ///< The last byte has left; the sender forgets the link.
};

/// A list of links that one thread fills and another takes as a whole.
class Mailbox {
 public:
  void post(Link* link) {
    const std::lock_guard lock(mutex_);
    links_.push_back(link);
  }
  void post(const std::vector<Link*>& links) {
    const std::lock_guard lock(mutex_);
    links_.insert(links_.end(), links.begin(), links.end());
  }
  /// Moves what was posted to the end of `into`.
  void take(std::vector<Link*>& into) {
    const std::lock_guard lock(mutex_);
    into.insert(into.end(), links_.begin(), links_.end());
    links_.clear();
  }

 private:
  std::mutex mutex_;
  std::vector<Link*> links_;
};

/// Wakes a thread that sleeps in poll(2) or epoll_wait(2).
class Bell {
 public:
  int fd() const noexcept { return event_.get(); }
  void ring() noexcept {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(event_.get(), &one, sizeof one);
  }
  void hush() noexcept {
    std::uint64_t rings;
    [[maybe_unused]] const auto got = ::read(event_.get(), &rings, sizeof rings);
  }

 private:
  Fd event_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
};

/// What the three stages share.
struct StageLinks {
  explicit StageLinks(std::size_t size) : ring_size(size) {}
  StageLinks(const StageLinks&) = delete;
  StageLinks& operator=(const StageLinks&) = delete;
  /// After all threads: frees what the processor had no time to end.
  ~StageLinks() {
    opened.take(left);
    for (const Link* link : left) delete link;
  }

  const std::size_t ring_size;
  Mailbox opened;   ///< From the receiver to the processor: new links.
  Mailbox to_send;  ///< From the processor to the sender: links with bytes to send.
  Bell bell;        ///< Wakes the sender.
  std::atomic<bool> all_received{false};   ///< Every link has ended and no other will be opened.
  std::atomic<bool> all_processed{false};  ///< The processor hands over nothing more.
  std::vector<Link*> left;                 ///< What the processor left unfinished at its end.
};

}  // namespace wiremark::tools
