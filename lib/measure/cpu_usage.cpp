// What a process, a thread and the whole machine spent: processor time, memory, context switches.
#include "measure/cpu_usage.h"

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>

#include "measure/text_file.h"

namespace wiremark::measure {

namespace {

Nanoseconds to_ns(const timeval& time) noexcept {
  return static_cast<Nanoseconds>(time.tv_sec) * kSecond +
         static_cast<Nanoseconds>(time.tv_usec) * kMicrosecond;
}

Nanoseconds read_clock(clockid_t clock) noexcept {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<Nanoseconds>(time.tv_sec) * kSecond + static_cast<Nanoseconds>(time.tv_nsec);
}

std::string proc_path(pid_t pid, std::string_view file) {
  return "/proc/" + (pid == 0 ? "self" : std::to_string(pid)) + "/" + std::string(file);
}

// /proc says ENOENT where a system call would say ESRCH.
std::unexpected<Error> gone_or(Error error, pid_t pid) {
  if (error.code == ENOENT || error.code == ESRCH)
    return failed("process", std::to_string(pid), ESRCH);
  return std::unexpected(std::move(error));
}

}  // namespace

double CpuUsage::total_s() const noexcept { return static_cast<double>(total) / 1e9; }

double CpuUsage::sys_s() const noexcept {
  const Nanoseconds split = user + sys;
  // A share of at most 1 keeps this within the total; another order may round user_s() below 0.
  return split == 0 ? 0 : total_s() * (static_cast<double>(sys) / static_cast<double>(split));
}

CpuUsage operator-(const CpuUsage& later, const CpuUsage& earlier) noexcept {
  return {growth(later.total, earlier.total), growth(later.user, earlier.user),
          growth(later.sys, earlier.sys)};
}

CpuUsage operator+(const CpuUsage& one, const CpuUsage& other) noexcept {
  return {one.total + other.total, one.user + other.user, one.sys + other.sys};
}

CpuUsage cpu_of_this_process() noexcept {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return {read_clock(CLOCK_PROCESS_CPUTIME_ID), to_ns(usage.ru_utime), to_ns(usage.ru_stime)};
}

Nanoseconds processor_time_of_this_thread() noexcept { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

CpuUsage cpu_of_this_thread() noexcept {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return {read_clock(CLOCK_THREAD_CPUTIME_ID), to_ns(usage.ru_utime), to_ns(usage.ru_stime)};
}

double MachineUsage::share(std::uint64_t part) const noexcept {
  return total == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(total);
}

MachineUsage operator-(const MachineUsage& later, const MachineUsage& earlier) noexcept {
  MachineUsage spent;
  spent.busy = growth(later.busy, earlier.busy);
  spent.softirq = growth(later.softirq, earlier.softirq);
  spent.steal = growth(later.steal, earlier.steal);
  spent.total = growth(later.total, earlier.total);
  return spent;
}

Result<MachineUsage> machine_usage() {
  auto stat = read_text("/proc/stat");
  if (!stat) return std::unexpected(std::move(stat.error()));
  std::string_view rest = *stat;
  if (take_word(rest) != "cpu") return failed("read", "/proc/stat", EPROTO);
  // Guest time, fields 9 and 10, is part of user and nice already.
  enum { kUser, kNice, kSystem, kIdle, kIoWait, kIrq, kSoftirq, kSteal, kFields };
  std::array<std::uint64_t, kFields> ticks{};
  for (std::uint64_t& field : ticks) {
    const auto number = take_number(rest);
    if (!number) return failed("read", "/proc/stat", EPROTO);
    field = *number;
  }
  MachineUsage usage;
  usage.busy = ticks[kUser] + ticks[kNice] + ticks[kSystem] + ticks[kIrq] + ticks[kSoftirq];
  usage.softirq = ticks[kSoftirq];
  usage.steal = ticks[kSteal];
  usage.total = usage.busy + usage.steal + ticks[kIdle] + ticks[kIoWait];
  return usage;
}

Result<MemoryUsage> memory_of_process(pid_t pid) {
  auto status = read_text(proc_path(pid, "status"));
  if (!status) return gone_or(std::move(status.error()), pid);
  // A process that has ended but was not waited for has a status without memory.
  const auto now_kib = number_behind(*status, "\nVmRSS:");
  const auto most_kib = number_behind(*status, "\nVmHWM:");
  if (!now_kib || !most_kib) return failed("process", std::to_string(pid), ESRCH);
  return MemoryUsage{*now_kib * 1024, *most_kib * 1024};
}

}  // namespace wiremark::measure
