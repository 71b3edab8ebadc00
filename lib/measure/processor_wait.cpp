// How long threads that were ready had no processor, and which cgroup stopped them for its quota.
#include "measure/processor_wait.h"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string_view>

#include "base/folder.h"
#include "measure/text_file.h"

namespace wiremark::measure {

namespace {

// Time on a processor, time waiting for one, and how often one was given.
Result<RunDelay> read_schedstat(const std::string& path) {
  const auto text = read_text(path);
  if (!text) return std::unexpected(text.error());
  std::string_view rest = *text;
  const auto ran = take_number(rest);
  const auto waited = take_number(rest);
  const auto slices = take_number(rest);
  if (!ran || !waited || !slices) return failed("read", path, EPROTO);
  return RunDelay{*ran, *waited, *slices};
}

// The text between `text`'s front and `end`, which is cut off with it.
std::string_view take_until(std::string_view& text, char end) noexcept {
  const std::string_view part = text.substr(0, text.find(end));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

bool has_word(std::string_view list, std::string_view word) noexcept {
  while (!list.empty()) {
    if (take_until(list, ',') == word) return true;
  }
  return false;
}

// Where a hierarchy that has quotas is mounted, and which of its cgroups is there.
struct Mount {
  std::string root;
  std::string at;
  bool v1 = false;
};

// A line of /proc/PID/mountinfo (proc_pid_mountinfo(5)): number, parent, device, root, place,
// options and optional fields, a dash, kind, source, and the options of the file system.
std::optional<Mount> parse_mount(std::string_view line) {
  for (int field = 0; field < 3; ++field) take_word(line);
  Mount mount;
  mount.root = take_word(line);
  mount.at = take_word(line);
  const std::size_t dash = line.find(" - ");
  if (dash == std::string_view::npos) return std::nullopt;
  line.remove_prefix(dash + 3);
  const std::string_view kind = take_word(line);
  take_word(line);
  const std::string_view options = take_word(line);
  if (kind == "cgroup2") return mount;
  mount.v1 = kind == "cgroup" && has_word(options, "cpu");
  if (!mount.v1) return std::nullopt;
  return mount;
}

// The path of a process in the hierarchy (cgroups(7)): "0::/path" is that of v2, and one of v1
// names its controllers in the middle.
std::optional<std::string> path_in(std::string_view cgroups, bool v1) {
  while (!cgroups.empty()) {
    std::string_view line = take_until(cgroups, '\n');
    const std::string_view number = take_until(line, ':');
    const std::string_view controllers = take_until(line, ':');
    if (v1 ? has_word(controllers, "cpu") : number == "0") return std::string(line);
  }
  return std::nullopt;
}

// None for a cgroup without a quota's counters, such as the root.
std::optional<Throttling> read_throttling(const std::string& folder, const std::string& cgroup) {
  const auto text = read_text(folder + "/cpu.stat");
  if (!text) return std::nullopt;
  const auto times = number_behind(*text, "nr_throttled ");
  if (!times) return std::nullopt;
  Throttling throttling{.cgroup = cgroup, .times = *times, .stopped = 0, .folder = folder};
  if (const auto us = number_behind(*text, "throttled_usec "))
    throttling.stopped = *us * kMicrosecond;
  else if (const auto ns = number_behind(*text, "throttled_time "))
    throttling.stopped = *ns;
  return throttling;
}

// Those at `path` and above it, as far as the mount shows them.
void add_throttling(std::vector<Throttling>& all, const Mount& mount, std::string path) {
  if (path.find("/..") != std::string::npos) return;  // Outside of what this namespace sees.
  for (;;) {
    std::string below = path;
    if (mount.root != "/") {
      if (!below.starts_with(mount.root)) return;
      below.erase(0, mount.root.size());
    }
    if (auto one = read_throttling(mount.at + below, path)) all.push_back(std::move(*one));
    const std::size_t slash = path.rfind('/');
    if (path.size() <= 1 || slash == std::string::npos) return;
    path.erase(std::max<std::size_t>(slash, 1));
  }
}

}  // namespace

RunDelay operator-(const RunDelay& later, const RunDelay& earlier) noexcept {
  return {growth(later.ran, earlier.ran), growth(later.waited, earlier.waited),
          growth(later.slices, earlier.slices)};
}

RunDelay operator+(const RunDelay& one, const RunDelay& other) noexcept {
  return {one.ran + other.ran, one.waited + other.waited, one.slices + other.slices};
}

Result<RunDelay> run_delay_of_this_thread() {
  return read_schedstat("/proc/thread-self/schedstat");
}

Result<RunDelay> run_delay_of_thread(pid_t tid) {
  return read_schedstat("/proc/self/task/" + std::to_string(tid) + "/schedstat");
}

Result<std::vector<ThreadDelay>> run_delays_of_process(pid_t pid) {
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
  const auto tids = numbers_in(tasks);
  if (!tids) return failed("process", std::to_string(pid), ESRCH);
  std::vector<ThreadDelay> all;
  for (const pid_t tid : *tids) {
    if (const auto one = read_schedstat(tasks + "/" + std::to_string(tid) + "/schedstat"))
      all.push_back({tid, *one});
  }
  if (all.empty()) return failed("read", tasks, ENOENT);
  return all;
}

ProcessDelay delay_between(const std::vector<ThreadDelay>& later,
                           const std::vector<ThreadDelay>& earlier, double seconds) {
  constexpr double kBusy = 0.1;
  ProcessDelay all;
  for (const auto& [tid, now] : later) {
    const auto before = std::ranges::find(earlier, tid, &ThreadDelay::tid);
    const RunDelay spent = before == earlier.end() ? now : now - before->delay;
    all.delay = all.delay + spent;
    if (static_cast<double>(spent.ran) >= kBusy * seconds * kSecond) ++all.threads_busy;
  }
  return all;
}

unsigned processors_of(pid_t pid) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  if (::sched_getaffinity(pid, sizeof cpus, &cpus) != 0) return 1;
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&cpus)));
}

std::vector<Throttling> throttling_of(pid_t pid, const std::string& proc) {
  const auto cgroups = read_text(proc + "/" + std::to_string(pid) + "/cgroup");
  const auto mounts = read_text(proc + "/self/mountinfo");
  std::vector<Throttling> all;
  if (!cgroups || !mounts) return all;
  for (std::string_view rest = *mounts; !rest.empty();) {
    const auto mount = parse_mount(take_until(rest, '\n'));
    if (!mount) continue;
    if (auto path = path_in(*cgroups, mount->v1)) add_throttling(all, *mount, std::move(*path));
  }
  return all;
}

Throttling longest_stop(const std::vector<Throttling>& later,
                        const std::vector<Throttling>& earlier) {
  Throttling longest;
  for (const Throttling& now : later) {
    const auto before = std::ranges::find(earlier, now.cgroup, &Throttling::cgroup);
    Throttling one = now;
    if (before != earlier.end()) {
      one.times = growth(one.times, before->times);
      one.stopped = growth(one.stopped, before->stopped);
    }
    if (longest.cgroup.empty() || one.stopped > longest.stopped) longest = std::move(one);
  }
  return longest;
}

}  // namespace wiremark::measure
