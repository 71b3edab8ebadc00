// The gaps of another process's loops, in memory that both processes have.
#pragma once

#include <memory>
#include <span>

#include "base/fd.h"
#include "base/result.h"
#include "measure/gap_watch.h"

namespace wiremark::tools {

/// A block of LoopGaps, one for each thread up to kThreadsMax.
class SharedGaps {
 public:
  static constexpr std::size_t kThreadsMax = 1024;

  /// All that the loops have counted.
  struct Sum {
    Nanoseconds gap_max = 0;
    Nanoseconds held_up = 0;
    Nanoseconds away = 0;
  };

  /// New memory, and the descriptor to hand to the process that counts in it. Errors:
  /// memfd_create(2), ftruncate(2), mmap(2).
  static Result<SharedGaps> make();
  /// The memory behind a descriptor that another process made.
  static Result<SharedGaps> of(int fd);

  int fd() const noexcept { return fd_.get(); }
  std::span<measure::LoopGaps> all() const noexcept { return {gaps_.get(), kThreadsMax}; }
  Sum sum() const noexcept;
  /// Only what lies between these two times counts from here on, and the longest gap is looked for
  /// anew. `until` may be kNever, until end() says better. Returns what was counted before.
  Sum begin(Nanoseconds from, Nanoseconds until) const noexcept;
  void end(Nanoseconds until) const noexcept;

 private:
  struct Unmap {
    void operator()(measure::LoopGaps* gaps) const noexcept;
  };

  static Result<SharedGaps> map(Fd fd);

  Fd fd_;
  std::unique_ptr<measure::LoopGaps, Unmap> gaps_;
};

}  // namespace wiremark::tools
