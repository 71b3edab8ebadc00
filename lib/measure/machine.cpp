// What this host is: kernel, processor, limits, and what waking a thread costs on it.
#include "measure/machine.h"

#include <fmt/core.h>
#include <gnu/libc-version.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <cstring>

#include "base/cpus.h"
#include "base/fd.h"
#include "measure/build_info.h"
#include "measure/pinned_pair.h"
#include "measure/quantity.h"
#include "measure/text_file.h"

namespace wiremark::measure {

namespace {

// The value of the first "key : value" line of /proc/cpuinfo.
std::string cpuinfo_value(std::string_view cpuinfo, std::string_view key) {
  const std::size_t at = cpuinfo.find(key);
  if (at == std::string_view::npos) return {};
  std::string_view line = cpuinfo.substr(at, cpuinfo.find('\n', at) - at);
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return {};
  line.remove_prefix(colon + 1);
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return std::string(line);
}

std::string first_line(const std::string& path) {
  const auto text = read_text(path);
  return text ? text->substr(0, text->find('\n')) : std::string();
}

#if defined(__x86_64__) || defined(__i386__)
// CPUID leaf 1 tells guests from hosts in bit 31 of ECX; leaf 0x40000000 names the hypervisor.
std::string hypervisor_name() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx >> 31 & 1)) return {};
  unsigned words[3];
  __cpuid(0x40000000, eax, words[0], words[1], words[2]);
  char text[sizeof words + 1] = {};
  std::memcpy(text, words, sizeof words);
  const std::string_view signature = text;
  if (signature.starts_with("KVMKVMKVM")) return "KVM";
  if (signature.starts_with("Microsoft Hv")) return "Hyper-V";
  if (signature.starts_with("VMwareVMware")) return "VMware";
  if (signature.starts_with("XenVMMXenVMM")) return "Xen";
  return "unknown";
}
#else
std::string hypervisor_name() { return first_line("/sys/hypervisor/type"); }
#endif

std::uint64_t to_bytes(rlim_t limit) noexcept {
  return limit == RLIM_INFINITY ? kUnlimited : static_cast<std::uint64_t>(limit);
}

// What one thread writes to an eventfd to wake the other.
constexpr std::uint64_t kGoOn = 1;
constexpr std::uint64_t kStop = 2;

// Tried again when it fails: both threads would wait for ever.
void send(const Fd& event, std::uint64_t value) noexcept {
  constexpr int kTries = 3;
  for (int tries = 0; tries < kTries && ::write(event.get(), &value, sizeof value) < 0; ++tries) {
  }
}

// An interrupted or failed wait counts as a stop, so that neither thread waits for ever.
std::uint64_t await(const Fd& event) noexcept {
  std::uint64_t value = kStop;
  while (::read(event.get(), &value, sizeof value) < 0) {
    if (errno != EINTR) return kStop;
  }
  return value;
}

void answer(const Fd& ping, const Fd& pong) noexcept {
  while (await(ping) == kGoOn) send(pong, kGoOn);
}

// Half of the median round trip; 0 where the machine was too busy to tell. On one that is not, the
// slower half of the trips takes no more than twice as long as the faster one.
Nanoseconds time_round_trips(const Fd& ping, const Fd& pong) {
  constexpr std::size_t kRounds = 200;
  constexpr Nanoseconds kLongest = 10 * kMillisecond;
  std::vector<Nanoseconds> rounds;
  rounds.reserve(kRounds);
  const Nanoseconds start = now_ns();
  for (Nanoseconds before = start; rounds.size() < kRounds && before - start < kLongest;) {
    send(ping, kGoOn);
    if (await(pong) != kGoOn) break;
    const Nanoseconds after = now_ns();
    rounds.push_back(after - before);
    before = after;
  }
  send(ping, kStop);
  constexpr std::size_t kRoundsMin = 50;
  if (rounds.size() < kRoundsMin) return 0;
  std::ranges::sort(rounds);
  const Nanoseconds middle = rounds[rounds.size() / 2];
  return rounds[rounds.size() * 3 / 4] <= 2 * rounds[rounds.size() / 4] ? middle / 2 : 0;
}

}  // namespace

Machine this_machine() {
  Machine machine;
  utsname name{};
  ::uname(&name);
  machine.system = name.sysname;
  machine.kernel = name.release;
  machine.architecture = name.machine;
  if (const auto cpuinfo = read_text("/proc/cpuinfo"))
    machine.cpu = cpuinfo_value(*cpuinfo, "model name");
  machine.cores_online = static_cast<unsigned>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  machine.cores_allowed = static_cast<unsigned>(allowed_cpus().size());
  machine.wake_crosses_cores = machine.cores_allowed > 1;
  machine.memory_bytes = static_cast<std::uint64_t>(std::max(0L, ::sysconf(_SC_PHYS_PAGES))) *
                         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  machine.nofile_soft = to_bytes(limit.rlim_cur);
  machine.nofile_hard = to_bytes(limit.rlim_max);
  ::getrlimit(RLIMIT_MEMLOCK, &limit);
  machine.memlock_bytes = to_bytes(limit.rlim_cur);
  machine.hypervisor = hypervisor_name();
  machine.clocksource =
      first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  machine.build = build_info();
  machine.compiler = machine.build->compiler;
  machine.libraries = {
      fmt::format("glibc {}", ::gnu_get_libc_version()),
      fmt::format("fmt {}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)};
  return machine;
}

Nanoseconds measure_wake_cost() {
  const Fd ping(::eventfd(0, EFD_CLOEXEC));
  const Fd pong(::eventfd(0, EFD_CLOEXEC));
  const std::vector<int> cpus = allowed_cpus();
  if (!ping || !pong || cpus.empty()) return 0;
  const int other_cpu = cpus[std::min<std::size_t>(1, cpus.size() - 1)];
  Nanoseconds cost = 0;
  run_pinned_pair(
      cpus.front(), other_cpu, [&] { cost = time_round_trips(ping, pong); },
      [&] { answer(ping, pong); });
  return cost;
}

std::string describe(const Machine& machine) {
  std::string line = fmt::format("{} {} {}", machine.system, machine.kernel, machine.architecture);
  if (!machine.cpu.empty()) line += ", " + machine.cpu;
  if (machine.cores_allowed > 0) line += ", " + format_counted(machine.cores_allowed, "core");
  if (machine.cores_allowed < machine.cores_online)
    line += fmt::format(" of {}", machine.cores_online);
  if (!machine.hypervisor.empty()) {
    line += machine.hypervisor == "unknown" ? ", virtual machine" : ", " + machine.hypervisor;
  }
  line += fmt::format(
      ", {} wake {}", machine.wake_crosses_cores ? "cross-core" : "same-core",
      machine.wake_cost_ns > 0 ? format_time(machine.wake_cost_ns) : "unknown: it was busy");
  return line;
}

}  // namespace wiremark::measure
