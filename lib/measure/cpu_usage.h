// What a process, a thread and the whole machine spent: processor time and memory.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "base/clock.h"
#include "base/result.h"

namespace wiremark::measure {

/// Processor time since the start of a process or thread. `total` is exact; the kernel keeps the
/// split between user and system less precisely (1 us for ourselves, getrusage(2); one clock tick,
/// 10 ms, for another process, proc_pid_stat(5)), so user_s() and sys_s() share out the total.
struct CpuUsage {
  Nanoseconds total = 0;
  Nanoseconds user = 0;
  Nanoseconds sys = 0;

  double total_s() const noexcept;
  double user_s() const noexcept { return total_s() - sys_s(); }
  double sys_s() const noexcept;

  /// What was spent between two samples of the same process or thread.
  friend CpuUsage operator-(const CpuUsage& later, const CpuUsage& earlier) noexcept;
  /// What two processes or threads spent together.
  friend CpuUsage operator+(const CpuUsage& one, const CpuUsage& other) noexcept;
};

/// All threads of this process, ended ones included.
CpuUsage cpu_of_this_process() noexcept;

/// The calling thread (RUSAGE_THREAD).
CpuUsage cpu_of_this_thread() noexcept;

/// Its sum alone, for who asks often: one system call.
Nanoseconds processor_time_of_this_thread() noexcept;

/// Time of all processors together since boot, in clock ticks (/proc/stat, proc_stat(5)).
struct MachineUsage {
  std::uint64_t busy = 0;     ///< Neither idle nor stolen: user, nice, system, irq and softirq.
  std::uint64_t softirq = 0;  ///< The part of busy in soft interrupts, such as receiving packets.
  std::uint64_t steal = 0;    ///< Wanted, but the hypervisor ran somebody else.
  std::uint64_t total = 0;    ///< All of the above and idle.

  /// Shares of the total, 0 to 100; 0 when no time has passed.
  double busy_pct() const noexcept { return share(busy); }
  double softirq_pct() const noexcept { return share(softirq); }
  double steal_pct() const noexcept { return share(steal); }

  friend MachineUsage operator-(const MachineUsage& later, const MachineUsage& earlier) noexcept;

 private:
  double share(std::uint64_t part) const noexcept;
};

/// Errors: /proc is not mounted, or not readable.
Result<MachineUsage> machine_usage();

/// Memory of a process in bytes (VmRSS and VmHWM of /proc/PID/status).
struct MemoryUsage {
  std::uint64_t resident_bytes = 0;
  std::uint64_t resident_bytes_max = 0;
};

/// `pid` 0 is this process. Errors: ESRCH when the process is gone.
Result<MemoryUsage> memory_of_process(pid_t pid = 0);

}  // namespace wiremark::measure
