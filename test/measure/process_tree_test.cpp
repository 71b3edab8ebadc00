// What processes and their descendants spent, whatever comes and goes: a machine made of numbers.
#include "measure/process_tree.h"

#include <doctest/doctest.h>

#include <functional>

using namespace wiremark;
using namespace wiremark::measure;

namespace {

constexpr pid_t kShell = 10;
constexpr pid_t kMaster = 100;
constexpr pid_t kUs = 900;

/// Its processes start, spend, end and wait as a test says.
class ScriptedMachine : public Processes {
 public:
  ScriptedMachine() { start(kShell, 1); }

  std::vector<pid_t> list() override {
    std::vector<pid_t> pids;
    for (const auto& [pid, times] : all_) pids.push_back(pid);
    if (while_listed) while_listed();
    return pids;
  }
  std::optional<ProcessTimes> times(pid_t pid) override {
    const auto found = all_.find(pid);
    return found == all_.end() ? std::nullopt : std::optional(found->second);
  }
  bool runs(pid_t pid) override { return pid == running; }
  bool stopped(pid_t) override { return false; }

  void start(pid_t pid, pid_t parent, Nanoseconds spent = 0) {
    all_[pid] = {parent, ++starts_, "worker", {spent, spent, 0}, {}, 50, 0};
  }
  void spend(pid_t pid, Nanoseconds time) {
    all_.at(pid).own = all_.at(pid).own + CpuUsage{time, time, 0};
    all_.at(pid).faults += 3;
  }
  void end(pid_t pid, bool waited = true) {
    const ProcessTimes times = all_.at(pid);
    all_.erase(pid);
    for (auto& [child, of] : all_)
      if (of.parent == pid) of.parent = 1;
    const auto parent = all_.find(times.parent);
    if (!waited || parent == all_.end()) return;
    parent->second.children = parent->second.children + times.own + times.children;
    parent->second.children_faults += times.faults + times.children_faults;
  }

  std::function<void()> while_listed;
  pid_t running = 0;

 private:
  std::map<pid_t, ProcessTimes> all_;
  std::uint64_t starts_ = 0;
};

// A master with two workers, all of which hold the socket.
struct Prefork : ScriptedMachine {
  Prefork() {
    start(kMaster, kShell, kSecond);
    start(101, kMaster);
    start(102, kMaster);
    start(kUs, kShell);
  }
};

Nanoseconds between(const ProcessTree::Look& earlier, const ProcessTree::Look& later) {
  return (later.spent - earlier.spent).total;
}

}  // namespace

TEST_CASE("all holders of a socket count, and each of them once") {
  Prefork machine;
  ProcessTree tree(machine, {kMaster, 101, 102}, kUs);
  const auto first = tree.look();
  CHECK(first.lost.empty());
  machine.spend(101, 7 * kMillisecond);
  machine.spend(102, 5 * kMillisecond);
  machine.spend(kMaster, kMillisecond);
  machine.spend(kShell, kSecond);
  machine.spend(kUs, kSecond);
  const auto second = tree.look();
  CHECK(second.lost.empty());
  CHECK(second.unsure == 0);
  CHECK(between(first, second) == 13 * kMillisecond);
  CHECK(tree.describe() == "worker (100), worker (101), worker (102)");
  CHECK_FALSE(tree.only());
}

TEST_CASE("who is started meanwhile counts, with what it had spent before it was seen") {
  Prefork machine;
  ProcessTree tree(machine, {kMaster}, kUs);
  const auto first = tree.look();
  CHECK(tree.describe() == "worker (100), and 2 started by it");
  machine.start(55, 103, 2 * kMillisecond);  // Its number is below that of the one that started it.
  machine.start(103, 101, 3 * kMillisecond);
  const auto second = tree.look();
  CHECK(between(first, second) == 5 * kMillisecond);
  CHECK(tree.has(55));
  CHECK_FALSE(tree.has(kShell));
  CHECK_FALSE(tree.has(kUs));
}

TEST_CASE("what ended and was waited for is in the time of who waited, seen or never seen") {
  Prefork machine;
  ProcessTree tree(machine, {kMaster}, kUs);
  const auto first = tree.look();
  machine.spend(102, 5 * kMillisecond);
  machine.end(102);
  machine.start(103, kMaster, 40 * kMillisecond);
  machine.end(103);
  machine.start(104, 101, kMillisecond);  // Two of them, one within the other.
  machine.end(104);
  machine.end(101);
  const auto second = tree.look();
  CHECK(second.lost.empty());
  CHECK(between(first, second) == 46 * kMillisecond);
  CHECK(second.unsure == 20 * kMillisecond);  // The kernel tells it in ticks.
  const auto third = tree.look();
  CHECK(third.unsure == 0);
}

TEST_CASE("what ended and was not waited for is unknown, and why is said") {
  Prefork machine;
  ProcessTree tree(machine, {kMaster}, kUs);
  (void)tree.look();
  machine.end(102, false);
  const std::string lost = tree.look().lost;
  CAPTURE(lost);
  CHECK(lost.starts_with("a process that worker (100) had started ended, and it did not wait"));
  CHECK(tree.look().lost.empty());  // From here on all is known again.
  machine.end(kMaster);
  CHECK(tree.look().lost.starts_with("its process worker (100) ended, and no other of it"));
  machine.end(101);
  CHECK(tree.look().lost == "none of its processes is there any more");
}

TEST_CASE("where only some were waited for, the sum is unknown too") {
  Prefork machine;
  ProcessTree tree(machine, {kMaster}, kUs);
  (void)tree.look();
  machine.end(101);
  machine.end(102, false);
  CHECK_FALSE(tree.look().lost.empty());
}

TEST_CASE("a number that came again is another process") {
  Prefork machine;
  ProcessTree tree(machine, {kMaster}, kUs);
  (void)tree.look();
  machine.end(102);
  machine.start(102, kShell, kSecond);
  CHECK(tree.look().lost.empty());
  CHECK_FALSE(tree.has(102));
}

TEST_CASE("a server that started us is measured without the branch that we are in") {
  ScriptedMachine machine;
  machine.start(kMaster, kShell);
  machine.start(101, kMaster);
  machine.start(50, kMaster);  // A shell between.
  machine.start(kUs, 50);
  machine.start(901, kUs);
  ProcessTree tree(machine, {kMaster}, kUs);
  const auto first = tree.look();
  for (const pid_t pid : {50, kUs, 901}) CHECK_FALSE(tree.has(pid));
  machine.spend(101, kMillisecond);
  machine.spend(kUs, kSecond);
  machine.start(902, kUs, kSecond);
  CHECK(between(first, tree.look()) == kMillisecond);
}

TEST_CASE("who ends while we read is counted once") {
  Prefork machine;
  machine.spend(102, 30 * kMillisecond);
  ProcessTree tree(machine, {kMaster}, kUs);
  const auto first = tree.look();
  int lists = 0;
  machine.while_listed = [&] {
    if (++lists == 2) machine.end(102);  // Between the list and the first reading.
  };
  const auto second = tree.look();
  CHECK(second.lost.empty());
  CHECK(between(first, second) == 0);
  machine.while_listed = [&] {
    machine.start(200 + ++lists, kMaster);
    if (lists > 4) machine.end(199 + lists);
  };
  CHECK(tree.look().lost == "its processes came and went too fast to be counted");
}

TEST_CASE("a tree runs while one of its processes has something to do") {
  Prefork machine;
  ProcessTree tree(machine, {kMaster}, kUs);
  (void)tree.look();
  machine.running = kUs;
  CHECK_FALSE(tree.runs());
  machine.running = 102;
  CHECK(tree.runs());
}

TEST_CASE("between two looks a tree has spent what those have that are still there") {
  Prefork machine;
  ProcessTree tree(machine, {kMaster}, kUs);
  (void)tree.look();
  CHECK(tree.spent_by_seen() == kSecond);
  machine.spend(102, 5 * kMillisecond);
  machine.spend(kUs, kSecond);
  machine.start(500, kMaster, kSecond);  // No look has seen it.
  CHECK(tree.spent_by_seen() == kSecond + 5 * kMillisecond);
  machine.end(102);
  machine.start(102, kShell, kSecond);  // Another of that number.
  CHECK(tree.spent_by_seen() == kSecond);
}

TEST_CASE("no process there, no figure") {
  ScriptedMachine machine;
  ProcessTree tree(machine, {kMaster}, kUs);
  CHECK_FALSE(tree.look().lost.empty());
}

TEST_CASE(
    "one that is adopted counts from then on with what it starts, and not what it spent before") {
  ScriptedMachine machine;
  machine.start(kMaster, kShell);
  machine.start(200, 1, 5 * kSecond);
  machine.start(201, 200, kSecond);
  ProcessTree tree(machine, {kMaster}, kUs);
  const auto first = tree.look();
  machine.spend(200, kSecond);
  CHECK(tree.look().spent.total == first.spent.total);
  CHECK_FALSE(tree.has(200));

  tree.adopt({200});
  const auto then = tree.look();
  CHECK(then.lost == "process 200 was found only then to be one of the server's");
  CHECK(tree.has(200));
  CHECK(tree.has(201));
  machine.spend(201, kSecond);
  machine.start(202, 200);
  machine.spend(202, kSecond);
  const auto last = tree.look();
  CHECK(last.lost.empty());
  CHECK(last.spent.total - then.spent.total == 2 * kSecond);
  CHECK(tree.describe() == "worker (100), worker (200), and 2 started by them");
}

TEST_CASE("who adopts an ancestor of the one that is left out does not count that one") {
  ScriptedMachine machine;
  machine.start(kMaster, kShell);
  machine.start(200, 1);
  machine.start(kUs, 200);
  ProcessTree tree(machine, {kMaster}, kUs);
  tree.look();
  tree.adopt({200});
  tree.look();
  CHECK(tree.pids() == std::vector<pid_t>{kMaster, 200});
}
