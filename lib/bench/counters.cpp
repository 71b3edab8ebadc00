// Instructions and cycles of the calling thread, where the machine counts them.
#include "bench/counters.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/result.h"

namespace wiremark::bench {
namespace {

/// glibc has no wrapper for perf_event_open(2).
Fd open_counter(std::uint64_t event, int group) {
  perf_event_attr wanted{};
  wanted.size = sizeof wanted;
  wanted.type = PERF_TYPE_HARDWARE;
  wanted.config = event;
  wanted.disabled = group < 0;
  wanted.exclude_kernel = 1;
  wanted.exclude_hv = 1;
  wanted.read_format = PERF_FORMAT_GROUP;
  constexpr int kThisThread = 0;
  constexpr int kAnyProcessor = -1;
  return Fd(static_cast<int>(::syscall(SYS_perf_event_open, &wanted, kThisThread, kAnyProcessor,
                                       group, PERF_FLAG_FD_CLOEXEC)));
}

}  // namespace

Counters::Counters() : instructions_(open_counter(PERF_COUNT_HW_INSTRUCTIONS, -1)) {
  if (instructions_) cycles_ = open_counter(PERF_COUNT_HW_CPU_CYCLES, instructions_.get());
  if (!instructions_ || !cycles_) unavailable_ = failed("perf_event_open").error().message();
}

void Counters::start() noexcept {
  ::ioctl(instructions_.get(), PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
  ::ioctl(instructions_.get(), PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

Counters::Counts Counters::stop() noexcept {
  ::ioctl(instructions_.get(), PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
  struct {
    std::uint64_t number;
    std::uint64_t values[2];
  } group{};
  if (::read(instructions_.get(), &group, sizeof group) != sizeof group) return {};
  return {.instructions = group.values[0], .cycles = group.values[1]};
}

}  // namespace wiremark::bench
