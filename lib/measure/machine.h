// What this host is: kernel, processor, limits, and what waking a thread costs on it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "measure/build_info.h"

namespace wiremark::measure {

/// A limit the kernel does not set.
inline constexpr std::uint64_t kUnlimited = UINT64_MAX;

/// Everything a figure depends on and the program cannot choose. What could not be found out is
/// empty or 0.
struct Machine {
  std::string system;        ///< "Linux" (uname(2)).
  std::string kernel;        ///< Its release, such as "6.1.0-18-amd64".
  std::string architecture;  ///< "x86_64".
  std::string cpu;           ///< The model as /proc/cpuinfo names it.
  unsigned cores_online = 0;
  unsigned cores_allowed = 0;  ///< Those this process may use (sched_getaffinity(2)).
  std::uint64_t memory_bytes = 0;
  std::uint64_t nofile_soft = 0;  ///< RLIMIT_NOFILE: open files, and so connections.
  std::uint64_t nofile_hard = 0;
  std::uint64_t memlock_bytes = 0;  ///< RLIMIT_MEMLOCK: io_uring charged to it before Linux 5.12.
  std::string hypervisor;           ///< "KVM" and the like; "unknown" when there is an unnamed one.
  std::string clocksource;          ///< "tsc", "kvm-clock", ...: slow ones make now_ns() costly.
  std::string compiler;             ///< What built this program: "g++ 12.2.0".
  std::optional<BuildInfo> build;   ///< How it was built; older documents do not say.
  std::vector<std::string> libraries;  ///< "glibc 2.36", ...; each tool adds those it links.
  Nanoseconds wake_cost_ns = 0;        ///< See measure_wake_cost(); 0 when unknown.
  bool wake_crosses_cores = false;     ///< Whether it is measured between two processors.
  /// What netprobe(1) says of it; older documents do not.
  std::optional<std::vector<std::string>> evidence;
};

/// Looks all of it up; takes below 1 ms and leaves out wake_cost_ns.
Machine this_machine();

/// The median time in ns from one thread's write to an eventfd(2) until another, blocked in read,
/// runs: half of a round trip. The two threads are pinned to the first two allowed processors, or
/// share the only one. Stops after 200 round trips or 10 ms. 0 when no thread or eventfd can be
/// had, and where fewer than 50 round trips, or how far they spread, say that the machine was busy
/// with something else.
Nanoseconds measure_wake_cost();

/// One line for people: "Linux 6.1.0 x86_64, AMD EPYC, 2 cores, cross-core wake 20 us".
std::string describe(const Machine& machine);

}  // namespace wiremark::measure
