// What a process, a thread and the whole machine spent: processor time, memory, context switches.
#include "measure/cpu_usage.h"

#include <dirent.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <optional>
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

Nanoseconds ticks_to_ns(std::uint64_t ticks) noexcept {
  static const auto ticks_per_second = static_cast<Nanoseconds>(::sysconf(_SC_CLK_TCK));
  return ticks * (kSecond / ticks_per_second);
}

// A counter that went backwards (another process, another boot) counts as unchanged.
std::uint64_t since(std::uint64_t later, std::uint64_t earlier) noexcept {
  return later - std::min(later, earlier);
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
  // The share first: it is 1 at most, so that user_s() is not rounded to below 0.
  return split == 0 ? 0 : total_s() * (static_cast<double>(sys) / static_cast<double>(split));
}

CpuUsage operator-(const CpuUsage& later, const CpuUsage& earlier) noexcept {
  return {since(later.total, earlier.total), since(later.user, earlier.user),
          since(later.sys, earlier.sys)};
}

CpuUsage operator+(const CpuUsage& one, const CpuUsage& other) noexcept {
  return {one.total + other.total, one.user + other.user, one.sys + other.sys};
}

CpuUsage cpu_of_this_process() noexcept {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return {read_clock(CLOCK_PROCESS_CPUTIME_ID), to_ns(usage.ru_utime), to_ns(usage.ru_stime)};
}

CpuUsage cpu_of_this_thread() noexcept {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return {read_clock(CLOCK_THREAD_CPUTIME_ID), to_ns(usage.ru_utime), to_ns(usage.ru_stime)};
}

Result<CpuUsage> cpu_of_process(pid_t pid) {
  clockid_t clock;
  // Pid 0 would be the caller; a process is asked for by its own number.
  if (pid <= 0) return failed("process", std::to_string(pid), ESRCH);
  if (const int error = ::clock_getcpuclockid(pid, &clock); error != 0)
    return failed("process", std::to_string(pid), error);
  auto stat = read_text(proc_path(pid, "stat"));
  if (!stat) return gone_or(std::move(stat.error()), pid);
  // The second field is the program's name in brackets, and may hold blanks and brackets itself;
  // behind it, field 3 comes first: utime is field 14 and stime field 15.
  const std::size_t name_end = stat->rfind(')');
  if (name_end == std::string::npos) return failed("read", proc_path(pid, "stat"), EPROTO);
  std::string_view rest = std::string_view(*stat).substr(name_end + 1);
  for (int field = 3; field < 14; ++field) take_word(rest);
  const auto user = take_number(rest);
  const auto sys = take_number(rest);
  if (!user || !sys) return failed("read", proc_path(pid, "stat"), EPROTO);
  timespec total{};
  if (::clock_gettime(clock, &total) != 0) return failed("process", std::to_string(pid), ESRCH);
  return CpuUsage{
      static_cast<Nanoseconds>(total.tv_sec) * kSecond + static_cast<Nanoseconds>(total.tv_nsec),
      ticks_to_ns(*user), ticks_to_ns(*sys)};
}

double MachineUsage::share(std::uint64_t part) const noexcept {
  return total == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(total);
}

MachineUsage operator-(const MachineUsage& later, const MachineUsage& earlier) noexcept {
  MachineUsage spent;
  spent.busy = since(later.busy, earlier.busy);
  spent.softirq = since(later.softirq, earlier.softirq);
  spent.steal = since(later.steal, earlier.steal);
  spent.total = since(later.total, earlier.total);
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
