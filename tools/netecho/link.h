// One connection of the staged server, and how its three threads tell one another about it.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/ring.h"

namespace wiremark::tools {

/// Made by the receiver, and freed by the processor when both others are done with it.
struct Link {
  Link(int descriptor, std::size_t ring_size) : fd(descriptor), in(ring_size), out(ring_size) {}

  const int fd;  ///< Open as long as the link lives.
  Ring in;       ///< From the receiver to the processor.
  Ring out;      ///< From the processor to the sender.

  /// Receiver: the wake-up that brought the oldest bytes nobody has looked at; 0 when there are
  /// none.
  std::atomic<Nanoseconds> arrived_ns{0};

  // Receiver, and the processor's once `ended` is set: nothing more comes.
  Fd socket;
  std::vector<std::byte> rest;  ///< What had no room in the ring.
  int receive_error = 0;
  std::atomic<bool> ended{false};

  // Processor.
  bool refused = false;             ///< It sent what is no message: what else it sends is dropped.
  std::atomic<bool> last{false};    ///< Nothing more follows what is in `out`.
  std::atomic<bool> posted{false};  ///< Set by the processor, cleared by the sender.

  // Sender.
  bool waiting = false;  ///< For the socket to become writable.
  int send_error = 0;
  std::atomic<bool> failed{false};  ///< With send_error: the peer cannot be sent to.
  std::atomic<bool> sent{false};    ///< The last byte has left; the sender forgets the link.
};

/// Links handed from one thread to another, all at once.
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
  /// Appends what was posted to `into`.
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

/// What the stages share.
struct StageLinks {
  explicit StageLinks(std::size_t size) : ring_size(size) {}
  StageLinks(const StageLinks&) = delete;
  StageLinks& operator=(const StageLinks&) = delete;
  /// Frees what the processor had no time to end; after all threads.
  ~StageLinks() {
    opened.take(left);
    for (const Link* link : left) delete link;
  }

  const std::size_t ring_size;
  Mailbox opened;   ///< From the receiver to the processor: new.
  Mailbox to_send;  ///< From the processor to the sender: has bytes, or its last.
  Bell bell;        ///< The sender's.
  std::atomic<bool> all_received{false};   ///< Every link has ended, and none will be opened.
  std::atomic<bool> all_processed{false};  ///< The processor hands out nothing more.
  std::vector<Link*> left;                 ///< By the processor, at its end.
};

}  // namespace wiremark::tools
