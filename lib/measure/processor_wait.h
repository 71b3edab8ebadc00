// How long threads that were ready had no processor, and which cgroup stopped them for its quota.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace wiremark::measure {

/// Since the start of a thread (/proc/PID/task/TID/schedstat, sched-stats of the kernel's
/// documentation).
struct RunDelay {
  Nanoseconds ran = 0;       ///< On a processor.
  Nanoseconds waited = 0;    ///< Ready, and another had the processor.
  std::uint64_t slices = 0;  ///< How often it was given one.

  friend RunDelay operator-(const RunDelay& later, const RunDelay& earlier) noexcept;
  friend RunDelay operator+(const RunDelay& one, const RunDelay& other) noexcept;
};

/// The calling thread. Errors: a kernel without CONFIG_SCHED_INFO, or no /proc.
Result<RunDelay> run_delay_of_this_thread();

/// Another thread of this process, which must not have ended.
Result<RunDelay> run_delay_of_thread(pid_t tid);

/// A thread of another process.
struct ThreadDelay {
  pid_t tid = 0;
  RunDelay delay;
};

/// All threads of a process that have not ended. Errors: also ESRCH when it is gone.
Result<std::vector<ThreadDelay>> run_delays_of_process(pid_t pid);

/// Two samples of the same process compared.
struct ProcessDelay {
  RunDelay delay;             ///< Of all threads that have not ended.
  unsigned threads_busy = 0;  ///< Threads that ran for a tenth of the time or more.
};

ProcessDelay delay_between(const std::vector<ThreadDelay>& later,
                           const std::vector<ThreadDelay>& earlier, double seconds);

/// On how many processors its threads may run; 1 where that cannot be told.
unsigned processors_of(pid_t pid);

/// How often a cgroup had used its quota up, and its threads had to wait for the next period.
struct Throttling {
  std::string cgroup;       ///< Its path in the hierarchy: "/user.slice/job".
  std::uint64_t times = 0;  ///< nr_throttled
  Nanoseconds stopped = 0;  ///< throttled_usec, or throttled_time of cgroup v1; of all processors.
  std::string folder = {};  ///< Where its files are, such as cpu.max.
};

/// Of the cgroups that a process is in, its own first and their parents behind it, as far as they
/// are visible: those that can have a quota. Empty where there are none, or no `proc`.
std::vector<Throttling> throttling_of(pid_t pid, const std::string& proc = "/proc");

/// The cgroup that stopped its threads longest between two samples of the same process; one that
/// has not been throttled is all that is known where `times` is 0.
Throttling longest_stop(const std::vector<Throttling>& later,
                        const std::vector<Throttling>& earlier);

}  // namespace wiremark::measure
