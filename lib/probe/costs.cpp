// What a system call, a wake-up and a cache line cost here, and which processors they are between.
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "base/cpus.h"
#include "base/fd.h"
#include "measure/core_distance.h"
#include "measure/machine.h"
#include "measure/quantity.h"
#include "measure/text_file.h"
#include "probe/finding.h"

namespace wiremark::probe {

namespace {

// The fastest of some batches, so that interrupts do not count.
Finding time_system_call() {
  constexpr int kBatches = 20;
  constexpr int kCalls = 100;
  Nanoseconds fastest = kSecond;
  for (int batch = 0; batch < kBatches; ++batch) {
    const Nanoseconds start = now_ns();
    for (int i = 0; i < kCalls; ++i) ::syscall(SYS_getppid);
    fastest = std::min(fastest, now_ns() - start);
  }
  const double each = static_cast<double>(fastest) / kCalls;
  // Without a filter and with mitigations it takes 50 to 250 ns.
  constexpr double kCheapNs = 500;
  return {kMachineGroup, "cheap system calls", each < kCheapNs ? Answer::yes : Answer::no,
          fmt::format("getppid takes {}", measure::format_time(each)),
          each < kCheapNs ? "" : "run without seccomp filters and tracers"};
}

Finding time_wake_up() {
  constexpr const char* kWhat = "cheap wake-ups";
  const Nanoseconds cost = measure::measure_wake_cost();
  if (cost == 0) {
    return {kMachineGroup, kWhat, Answer::untried, "the machine was too busy to tell",
            "netprobe, on an idle machine"};
  }
  // On bare metal it takes 2 to 5 us, and up to 50 us where a hypervisor must start the processor.
  constexpr Nanoseconds kCheap = 5 * kMicrosecond;
  return {kMachineGroup, kWhat, cost <= kCheap ? Answer::yes : Answer::no,
          fmt::format("waking a thread {} takes {}",
                      allowed_cpus().size() > 1 ? "on another processor" : "on the only processor",
                      measure::format_time(cost)),
          cost <= kCheap ? "" : "netload --wait spin or adaptive"};
}

Finding place_processors() {
  constexpr const char* kWhat = "two processors";
  const std::vector<int> cpus = allowed_cpus();
  if (cpus.size() < 2) {
    return {kMachineGroup, kWhat, Answer::no, "one processor: both ends share it",
            "taskset -c 0,1, or docker --cpuset-cpus"};
  }
  std::string evidence = "may use " + format_cpus(cpus);
  const auto siblings = measure::read_text(
      fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpus[0]));
  bool shared = false;
  if (siblings) {
    const auto list = parse_cpus(siblings->substr(0, siblings->find('\n')));
    shared = list && std::ranges::find(*list, cpus[1]) != list->end();
    evidence +=
        shared ? "; the first two are threads of one core" : "; the first two are two cores";
  }
  if (const Nanoseconds distance = measure::measure_core_distance(); distance > 0)
    evidence +=
        fmt::format(", a cache line there and back takes {}", measure::format_time(distance));
  return {kMachineGroup, kWhat, Answer::yes, evidence,
          shared ? "netload --cpus and --server-cpus, on two cores" : ""};
}

Finding open_counter() {
  constexpr const char* kWhat = "hardware counters";
  perf_event_attr event{};
  event.size = sizeof event;
  event.type = PERF_TYPE_HARDWARE;
  event.config = PERF_COUNT_HW_INSTRUCTIONS;
  event.exclude_kernel = 1;
  event.exclude_hv = 1;
  const Fd counter(static_cast<int>(::syscall(SYS_perf_event_open, &event, 0, -1, -1, 0)));
  if (!counter) {
    const int error = errno;
    return {kMachineGroup, kWhat, Answer::no, failure("perf_event_open", error),
            error == EACCES || error == EPERM ? "sysctl -w kernel.perf_event_paranoid=1"
            : error == ENOENT                 ? "a machine or a guest with a PMU"
                                              : ""};
  }
  std::uint64_t count = 0;
  const bool counted =
      ::read(counter.get(), &count, sizeof count) == static_cast<ssize_t>(sizeof count) &&
      count > 0;
  return {kMachineGroup, kWhat, counted ? Answer::yes : Answer::no_effect,
          fmt::format("{} instructions were counted", measure::format_count(count)), ""};
}

}  // namespace

Findings probe_costs() {
  return {time_system_call(), time_wake_up(), place_processors(), open_counter()};
}

}  // namespace wiremark::probe
