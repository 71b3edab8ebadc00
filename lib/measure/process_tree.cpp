// Processor time of processes and all that they start, those that end meanwhile included.
#include "measure/process_tree.h"

#include <fmt/core.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>

#include "base/folder.h"
#include "measure/quantity.h"
#include "measure/text_file.h"

namespace wiremark::measure {

namespace {

Nanoseconds ticks_to_ns(std::uint64_t ticks) noexcept {
  static const auto ticks_per_second = static_cast<Nanoseconds>(::sysconf(_SC_CLK_TCK));
  return ticks * (kSecond / ticks_per_second);
}

std::optional<Nanoseconds> clock_of(pid_t pid) noexcept {
  clockid_t clock;
  timespec time{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0)
    return std::nullopt;
  return static_cast<Nanoseconds>(time.tv_sec) * kSecond + static_cast<Nanoseconds>(time.tv_nsec);
}

// Whether a thread is in one of these states, a letter each (proc_pid_stat(5)).
bool has_thread_in(pid_t pid, std::string_view states) {
  std::error_code ignored;
  for (const auto& task : entries_of(fmt::format("/proc/{}/task", pid), ignored)) {
    const auto stat = read_text(task / "stat");
    if (!stat) continue;
    const std::size_t name_end = stat->rfind(") ");  // The name may hold anything.
    if (name_end == std::string::npos || name_end + 2 >= stat->size()) continue;
    if (states.contains((*stat)[name_end + 2])) return true;
  }
  return false;
}

}  // namespace

std::vector<pid_t> ProcProcesses::list() {
  return numbers_in("/proc").value_or(std::vector<pid_t>{});
}

std::optional<ProcessTimes> ProcProcesses::times(pid_t pid) {
  // Pid 0 would be the caller; a process is asked for by its own number.
  if (pid <= 0) return std::nullopt;
  const auto stat = read_text("/proc/" + std::to_string(pid) + "/stat");
  const auto own = clock_of(pid);
  if (!stat || !own) return std::nullopt;
  // The second field is the program's name in brackets, and may hold blanks and brackets itself.
  const std::size_t name_begin = stat->find('('), name_end = stat->rfind(')');
  if (name_begin == std::string::npos || name_end == std::string::npos) return std::nullopt;
  std::string_view rest = std::string_view(*stat).substr(name_end + 1);
  // Fields 3 to 22; some that are not wanted may be negative.
  enum { kParent = 4, kFaults = 10, kChildrenFaults = 11, kUser = 14, kStarted = 22 };
  std::uint64_t fields[kStarted + 1] = {};
  for (int field = 3; field <= kStarted; ++field) {
    const std::string_view word = take_word(rest);
    std::from_chars(word.data(), word.data() + word.size(), fields[field]);
  }
  const auto time = [&](int at) { return ticks_to_ns(fields[at]); };
  ProcessTimes times;
  times.parent = static_cast<pid_t>(fields[kParent]);
  times.started = fields[kStarted];
  times.name = stat->substr(name_begin + 1, name_end - name_begin - 1);
  times.own = {*own, time(kUser), time(kUser + 1)};
  const Nanoseconds user = time(kUser + 2), sys = time(kUser + 3);
  times.children = {user + sys, user, sys};
  times.faults = fields[kFaults];
  times.children_faults = fields[kChildrenFaults];
  return times;
}

bool ProcProcesses::runs(pid_t pid) { return has_thread_in(pid, "R"); }

bool ProcProcesses::stopped(pid_t pid) { return has_thread_in(pid, "Tt"); }

ProcessTree::ProcessTree(Processes& processes, std::vector<pid_t> roots, pid_t without)
    : processes_(processes), roots_(std::move(roots)), without_(without) {
  keep_apart();
}

// The one that is left out, and up to the root that started it, if one did.
void ProcessTree::keep_apart() {
  apart_.clear();
  for (pid_t pid = without_; pid > 0;) {
    if (std::ranges::find(roots_, pid) != roots_.end()) break;
    apart_.insert(pid);
    const auto times = processes_.times(pid);
    pid = times ? times->parent : 0;
  }
}

void ProcessTree::adopt(const std::set<pid_t>& pids) {
  roots_.insert(roots_.end(), pids.begin(), pids.end());
  adopted_.insert(pids.begin(), pids.end());
  keep_apart();
  others_.clear();  // What they have started may be among these.
}

// Those that were there and still are, and what they have started since.
ProcessTree::Members ProcessTree::find_members() {
  Members members;
  const auto keep = [&](pid_t pid, const ProcessTimes& times) {
    const auto before = members_.find(pid);
    if (before == members_.end() || before->second.started == times.started)
      members.emplace(pid, times);
  };
  Members unknown;
  std::set<pid_t> others;
  const std::vector<pid_t> all = processes_.list();
  for (const pid_t pid : all) {
    if (apart_.contains(pid)) continue;
    if (others_.contains(pid)) {
      others.insert(pid);
      continue;
    }
    const auto times = processes_.times(pid);
    if (!times) continue;
    const bool root = !looked_ && std::ranges::find(roots_, pid) != roots_.end();
    if (root || adopted_.contains(pid) || members_.contains(pid))
      keep(pid, *times);
    else
      unknown.emplace(pid, *times);
  }
  for (bool found = true; found;) {
    found = false;
    for (auto one = unknown.begin(); one != unknown.end();) {
      const pid_t parent = one->second.parent;  // It may have ended a moment ago.
      const bool ours = members.contains(parent) || members_.contains(parent);
      if (ours) members.insert(*one);
      found |= ours;
      one = ours ? unknown.erase(one) : std::next(one);
    }
  }
  for (const auto& [pid, times] : unknown) others.insert(pid);
  others_ = std::move(others);
  return members;
}

// Who waits for a process inherits its faults with its time, and those of all that it had waited
// for. Where a parent has not got them, the time went nowhere.
void ProcessTree::compare(const Members& before, const Members& now, Look& look) const {
  std::map<pid_t, std::uint64_t> inherited;
  for (const auto& [pid, times] : before) {
    if (now.contains(pid)) continue;
    pid_t heir = times.parent;
    while (!now.contains(heir) && before.contains(heir)) heir = before.at(heir).parent;
    if (!now.contains(heir) || !before.contains(heir)) {
      look.lost =
          fmt::format("its process {} ({}) ended, and no other of it got to know what it spent",
                      times.name, pid);
      return;
    }
    inherited[heir] += times.faults + times.children_faults;
  }
  for (const auto& [pid, faults] : inherited) {
    const ProcessTimes& heir = now.at(pid);
    if (heir.children_faults - before.at(pid).children_faults < faults) {
      look.lost = fmt::format(
          "a process that {} ({}) had started ended, and it did not wait for it: "
          "nobody knows what it spent",
          heir.name, pid);
      return;
    }
  }
  for (const auto& [pid, times] : now) {
    const auto earlier = before.find(pid);
    const bool inherits =
        times.children_faults > (earlier == before.end() ? 0 : earlier->second.children_faults);
    if (inherits) look.unsure += 2 * ticks_to_ns(1);
  }
}

bool ProcessTree::runs() const {
  return std::ranges::any_of(members_,
                             [this](const auto& member) { return processes_.runs(member.first); });
}

bool ProcessTree::stopped() const {
  return std::ranges::any_of(
      members_, [this](const auto& member) { return processes_.stopped(member.first); });
}

Nanoseconds ProcessTree::spent_by_seen() const {
  Nanoseconds spent = 0;
  for (const auto& [pid, seen] : members_) {
    const auto times = processes_.times(pid);
    if (times && times->started == seen.started) spent += times->own.total;
  }
  return spent;
}

ProcessTree::Look ProcessTree::look() {
  // A process that ends while we read might be counted twice, or not at all. Two readings with the
  // same processes, none of which waited for another in between, are of one moment.
  constexpr int kTries = 50;
  const auto same = [](const Members& one, const Members& other) {
    return std::ranges::equal(one, other, [](const auto& a, const auto& b) {
      return a.first == b.first && a.second.started == b.second.started &&
             a.second.children_faults == b.second.children_faults;
    });
  };
  Members now = find_members();
  bool settled = false;
  for (int i = 0; i < kTries && !settled; ++i) {
    Members again = find_members();
    settled = same(now, again);
    now = std::move(again);
  }
  Look look;
  for (const auto& [pid, times] : now) look.spent = look.spent + times.own + times.children;
  if (now.empty())
    look.lost = "none of its processes is there any more";
  else if (!settled)
    look.lost = "its processes came and went too fast to be counted";
  else if (looked_ && !adopted_.empty())
    look.lost =
        fmt::format("process {} was found only then to be one of the server's", *adopted_.begin());
  else if (looked_)
    compare(members_, now, look);
  adopted_.clear();
  looked_ = true;
  members_ = std::move(now);
  return look;
}

std::string ProcessTree::describe() const {
  std::string text;
  std::size_t started = members_.size();
  for (const pid_t root : roots_) {
    const auto found = members_.find(root);
    if (found == members_.end()) continue;
    // Of many the first few will do.
    constexpr std::size_t kNamed = 4;
    if (const std::size_t named = members_.size() - started--; named < kNamed)
      text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", found->second.name, root);
    else if (named == kNamed)
      text += ", ...";
  }
  if (started > 0)
    text += fmt::format(", and {} started by {}", format_count(started),
                        members_.size() - started == 1 ? "it" : "them");
  return text;
}

std::vector<pid_t> ProcessTree::pids() const {
  std::vector<pid_t> pids;
  for (const auto& [pid, times] : members_) pids.push_back(pid);
  return pids;
}

std::optional<pid_t> ProcessTree::only() const {
  return members_.size() == 1 ? std::optional(members_.begin()->first) : std::nullopt;
}

}  // namespace wiremark::measure
