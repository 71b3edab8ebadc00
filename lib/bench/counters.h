// Instructions and cycles of the calling thread, where the machine counts them.
#pragma once

#include <cstdint>
#include <string>

#include "base/fd.h"

namespace wiremark::bench {

/// Two hardware counters of one thread, user mode only (perf_event_open(2), Linux 2.6.31). Most
/// virtual machines have none, and kernel.perf_event_paranoid over 2 forbids them.
class Counters {
 public:
  struct Counts {
    std::uint64_t instructions = 0;
    std::uint64_t cycles = 0;
  };

  /// Opens them for the calling thread; ask available() whether that worked.
  Counters();

  bool available() const noexcept { return unavailable_.empty(); }

  /// "perf_event_open: No such file or directory"; empty when available.
  const std::string& unavailable() const noexcept { return unavailable_; }

  void start() noexcept;

  /// What was counted since start(); zeros when the kernel did not let them run.
  Counts stop() noexcept;

 private:
  Fd instructions_;  // The group leader: both are started, stopped and read together.
  Fd cycles_;
  std::string unavailable_;
};

}  // namespace wiremark::bench
