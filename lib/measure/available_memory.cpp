// How much memory this process can still have.
#include "measure/available_memory.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "measure/processor_wait.h"
#include "measure/text_file.h"

namespace wiremark::measure {
namespace {

std::uint64_t number_in(const std::string& path) {
  const auto text = read_text(path);
  std::string_view digits = text ? std::string_view(*text) : std::string_view();
  return take_number(digits).value_or(0);
}

// memory.current counts the pages of cached files too, which fill a cgroup that reads many.
std::uint64_t used_in(const std::string& cgroup) {
  const std::uint64_t all = number_in(cgroup + "/memory.current");
  const auto parts = read_text(cgroup + "/memory.stat");
  if (!parts) return all;
  const std::uint64_t cached = number_behind(*parts, "\nactive_file ").value_or(0) +
                               number_behind(*parts, "\ninactive_file ").value_or(0);
  return all - std::min(all, cached);
}

}  // namespace

std::uint64_t available_memory(const std::string& proc) {
  std::optional<std::uint64_t> least;
  if (const auto text = read_text(proc + "/meminfo"); text)
    if (const auto kib = number_behind(*text, "MemAvailable:")) least = 1024 * *kib;
  for (const Throttling& one : throttling_of(::getpid(), proc)) {
    const std::uint64_t most = number_in(one.folder + "/memory.max");
    const std::uint64_t left = most - std::min(most, used_in(one.folder));
    if (most > 0) least = std::min(least.value_or(left), left);
  }
  return least.value_or(0);
}

}  // namespace wiremark::measure
