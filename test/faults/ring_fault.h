// Operations that another process hands to its io_uring, counted, and one of them made to fail.
#pragma once

#include <linux/io_uring.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace wiremark::faults {

/// "op:send" for IORING_OP_SEND.
std::string name_of_operation(int opcode);

/// What is to fail: the operations of this name that `hits` picks by their number, with this errno.
struct RingFault {
  std::string operation;
  int error = 0;
  std::function<bool(std::uint64_t)> hits;
};

/// Looks at an operation where it waits, in memory that the process shares with the kernel, before
/// the kernel does. One that is to fail becomes one that does nothing and completes as we like
/// (IORING_NOP_INJECT_RESULT, Linux 6.11).
class RingWatch {
 public:
  RingWatch(pid_t process, int pidfd) : process_(process), pidfd_(pidfd) {}
  RingWatch(RingWatch&&) = delete;
  ~RingWatch() { close(); }

  /// Whether this kernel has such operations.
  static bool can_fail();

  /// The process is about to make a ring, from parameters at this address of its memory.
  void set_up(unsigned entries, std::uint64_t parameters);

  /// The process is about to enter the kernel. True when what should fail was among what it brings.
  bool enter(const RingFault& fault);

  const std::map<int, std::uint64_t>& counts() const { return counts_; }

 private:
  bool open();
  void close();
  std::uint32_t& word(std::uint32_t offset) const;

  pid_t process_;
  int pidfd_;
  io_uring_params parameters_{};
  bool is_new_ = false;
  std::byte* ring_ = nullptr;
  std::size_t ring_size_ = 0;
  io_uring_sqe* entries_ = nullptr;
  std::uint32_t seen_ = 0;  // Up to this place in the queue.
  std::map<int, std::uint64_t> counts_;
};

}  // namespace wiremark::faults
