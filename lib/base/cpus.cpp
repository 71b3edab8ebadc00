// Lists of processors as the user writes them, and threads pinned to them.
#include "base/cpus.h"

#include <sched.h>

#include <charconv>
#include <cstddef>

#include "base/list.h"

namespace wiremark {

namespace {

// Reads one number off the front of `text`; -1 when there is none or it is no processor.
int take_cpu(std::string_view& text) {
  int cpu = -1;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), cpu);
  if (status != std::errc{} || cpu < 0 || cpu >= CPU_SETSIZE) return -1;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return cpu;
}

}  // namespace

Result<std::vector<int>> parse_cpus(std::string_view list) {
  const auto bad = [list] {
    return failed("'" + std::string(list) + "' is not a list of processors such as 0,2-3", {}, 0);
  };
  std::vector<int> cpus;
  for (std::string_view range : split_list(list)) {
    const int first = take_cpu(range);
    int last = first;
    if (first >= 0 && range.starts_with('-')) {
      range.remove_prefix(1);
      last = take_cpu(range);
    }
    if (first < 0 || last < first || !range.empty()) return bad();
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

std::string format_cpus(const std::vector<int>& cpus) {
  std::string list;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (i > 0) list += ',';
    list += std::to_string(cpus[i]);
    if (last > i) list += '-' + std::to_string(cpus[last]);
    i = last + 1;
  }
  return list;
}

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

Result<> pin_this_thread(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  if (::sched_setaffinity(0, sizeof set, &set) == 0) return {};
  const int error = errno;
  const std::string allowed = format_cpus(allowed_cpus());
  return failed("sched_setaffinity",
                "cpu " + std::to_string(cpu) + " (allowed here: " + allowed + ")", error);
}

}  // namespace wiremark
