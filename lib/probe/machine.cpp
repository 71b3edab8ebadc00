// What the processors, the hypervisor and the container do to every figure, as the kernel
// says it.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "base/cpus.h"
#include "base/folder.h"
#include "measure/cpu_usage.h"
#include "measure/machine.h"
#include "measure/processor_wait.h"
#include "measure/quantity.h"
#include "measure/text_file.h"
#include "probe/finding.h"

namespace wiremark::probe {

namespace {

// The first line of a file, empty where there is none.
std::string line_of(const std::string& path) {
  const auto text = measure::read_text(path);
  return text ? text->substr(0, text->find('\n')) : std::string();
}

// The chosen word of a list such as "always [madvise] never".
std::string chosen(const std::string& words) {
  const std::size_t begin = words.find('[');
  const std::size_t end = words.find(']');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return words;
  return words.substr(begin + 1, end - begin - 1);
}

Finding find_clock() {
  const std::string path = "/sys/devices/system/clocksource/clocksource0/";
  const std::string source = measure::this_machine().clocksource;
  const std::string others = line_of(path + "available_clocksource");
  constexpr int kReads = 1000;
  const Nanoseconds start = now_ns();
  for (int i = 0; i < kReads; ++i) static_cast<void>(now_ns());
  const auto each = static_cast<double>(now_ns() - start) / kReads;
  // A read in user space takes below 50 ns; one that enters the kernel or the hypervisor 200 ns
  // and more.
  constexpr double kFastNs = 100;
  Finding finding{kMachineGroup, "fast clock", each < kFastNs ? Answer::yes : Answer::no,
                  fmt::format("{}: {} a read", source.empty() ? "unknown clock source" : source,
                              measure::format_time(each)),
                  ""};
  if (finding.answer == Answer::no && others.find("tsc") != std::string::npos)
    finding.change = "echo tsc > " + path + "current_clocksource";
  return finding;
}

Finding find_steal() {
  constexpr const char* kWhat = "no time stolen";
  const auto usage = measure::machine_usage();
  if (!usage) return {kMachineGroup, kWhat, Answer::untried, usage.error().message(), ""};
  const bool none = usage->steal == 0;
  return {kMachineGroup, kWhat, none ? Answer::yes : Answer::no,
          fmt::format("{} of the time since boot in /proc/stat",
                      measure::format_share(usage->steal_pct())),
          none ? "" : "a machine whose processors are not shared"};
}

// Cores that cpu.max (cgroup v2) or cpu.cfs_quota_us (v1) grants; 0 where it grants all.
double quota_of(const std::string& folder) {
  const std::string limit = line_of(folder + "/cpu.max");
  std::string_view text = limit;
  if (limit.empty()) {
    const std::string quota = line_of(folder + "/cpu.cfs_quota_us");
    const std::string both = quota + ' ' + line_of(folder + "/cpu.cfs_period_us");
    std::string_view v1 = both;
    const auto us = measure::take_number(v1);
    const auto period = measure::take_number(v1);
    return us && period && *period > 0 ? static_cast<double>(*us) / static_cast<double>(*period)
                                       : 0;
  }
  const auto us = measure::take_number(text);
  const auto period = measure::take_number(text);
  return us && period && *period > 0 ? static_cast<double>(*us) / static_cast<double>(*period) : 0;
}

Finding find_quota() {
  constexpr const char* kWhat = "no processor quota";
  const auto cgroups = measure::throttling_of(::getpid());
  for (const measure::Throttling& one : cgroups) {
    if (const double cores = quota_of(one.folder); cores > 0) {
      return {
          kMachineGroup, kWhat, Answer::no,
          fmt::format("cgroup {}: {} cores, stopped {}", one.cgroup, measure::format_number(cores),
                      measure::format_counted(one.times, "time")),
          "echo max > " + one.folder + "/cpu.max, or docker --cpus"};
    }
  }
  return {kMachineGroup, kWhat, Answer::yes,
          cgroups.empty()
              ? "no cgroup with counters of a quota is visible"
              : fmt::format("none in {}", measure::format_counted(cgroups.size(), "cgroup")),
          ""};
}

Finding find_governor() {
  constexpr const char* kWhat = "full frequency";
  for (const int cpu : allowed_cpus()) {
    const std::string governor =
        line_of(fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor", cpu));
    if (governor.empty()) {
      return {kMachineGroup, kWhat, Answer::untried,
              "no cpufreq here: the host or the firmware decides", ""};
    }
    if (governor != "performance") {
      return {kMachineGroup, kWhat, Answer::no,
              fmt::format("governor of processor {}: {}", cpu, governor),
              "cpupower frequency-set -g performance"};
    }
  }
  return {kMachineGroup, kWhat, Answer::yes, "governor: performance", ""};
}

Finding find_mitigations() {
  constexpr const char* kWhat = "no mitigations";
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : entries_of("/sys/devices/system/cpu/vulnerabilities", none)) {
    if (line_of(entry).starts_with("Mitigation")) names.push_back(entry.filename());
  }
  std::ranges::sort(names);
  const std::size_t count = names.size();
  std::string active;
  for (const std::string& name : names) active += (active.empty() ? "" : ", ") + name;
  if (none) return {kMachineGroup, kWhat, Answer::untried, none.message(), ""};
  return {kMachineGroup, kWhat, count == 0 ? Answer::yes : Answer::no,
          count == 0 ? "none is active" : fmt::format("{} active: {}", count, active),
          count == 0 ? "" : "boot with mitigations=off, on a machine that nobody else uses"};
}

// Four megabytes, and how much of them the kernel makes huge.
Finding make_huge_pages() {
  constexpr const char* kWhat = "transparent huge pages";
  constexpr std::size_t kHuge = 2 << 20;
  const std::string mode = chosen(line_of("/sys/kernel/mm/transparent_hugepage/enabled"));
  if (mode.empty()) return {kMachineGroup, kWhat, Answer::no, "a kernel without them", ""};
  const auto huge_kb = [] {
    const auto text = measure::read_text("/proc/self/smaps_rollup");
    return text ? measure::number_behind(*text, "AnonHugePages:").value_or(0) : 0;
  };
  const std::uint64_t before = huge_kb();
  void* memory =
      ::mmap(nullptr, 2 * kHuge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return {kMachineGroup, kWhat, Answer::untried, failure("mmap", errno), ""};
  ::madvise(memory, 2 * kHuge, MADV_HUGEPAGE);
  auto* bytes = static_cast<volatile char*>(memory);
  for (std::size_t at = 0; at < 2 * kHuge; at += 4096) bytes[at] = 1;
  const std::uint64_t made = huge_kb() - std::min(before, huge_kb());
  ::munmap(memory, 2 * kHuge);
  return {kMachineGroup, kWhat, made > 0 ? Answer::yes : Answer::no,
          fmt::format("mode {}; asked for by madvise, {} KiB of 4,096 were huge", mode, made),
          made > 0 ? "" : "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"};
}

}  // namespace

Findings probe_machine() {
  return {find_clock(), find_steal(), find_quota(), find_governor(), find_mitigations()};
}

Findings probe_huge_pages() { return {make_huge_pages()}; }

}  // namespace wiremark::probe
