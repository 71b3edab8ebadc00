// Processor time, memory and switches of this process and of a child, and what the machine is.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <deque>
#include <fstream>
#include <thread>
#include <vector>

#include "base/cpus.h"
#include "base/end_with_parent.h"
#include "measure/core_distance.h"
#include "measure/cpu_usage.h"
#include "measure/machine.h"
#include "measure/memory_echo.h"
#include "measure/process_tree.h"

using namespace wiremark;
using namespace wiremark::measure;

namespace {

// Spends processor time by the thread's own clock, however busy the machine is.
void spend(Nanoseconds time) {
  const CpuUsage start = cpu_of_this_thread();
  while ((cpu_of_this_thread() - start).total < time) {
  }
}

// A child whose name holds blanks and brackets, which spends `kChildTime`, tells, and waits.
constexpr Nanoseconds kChildTime = 30 * kMillisecond;

struct Child {
  pid_t pid = -1;

  Child()
      : Child(
            [] {
              ::prctl(PR_SET_NAME, "a) b (c) 1 2");
              spend(kChildTime);
            },
            [] { ::pause(); }) {}

  // Does `first`, tells, and does `then` for ever.
  Child(auto&& first, auto&& then) {
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    const pid_t parent = ::getpid();
    pid = ::fork();
    if (pid == 0) {
      end_with_parent(parent);
      first();
      [[maybe_unused]] const ssize_t told = ::write(ready[1], "!", 1);
      for (;;) then();
    }
    ::close(ready[1]);
    char told = 0;
    CHECK(::read(ready[0], &told, 1) == 1);
    ::close(ready[0]);
  }

  void end() {
    if (pid < 0) return;
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    pid = -1;
  }

  ~Child() { end(); }
};

}  // namespace

TEST_CASE("a process's time is at least that of its threads, ended ones included") {
  const CpuUsage before = cpu_of_this_process();
  CpuUsage of_thread;
  std::thread([&] {
    spend(20 * kMillisecond);
    of_thread = cpu_of_this_thread();
  }).join();
  const CpuUsage spent = cpu_of_this_process() - before;
  CHECK(of_thread.total >= 20 * kMillisecond);
  CHECK(spent.total >= 20 * kMillisecond);
  CHECK(spent.user_s() + spent.sys_s() == doctest::Approx(spent.total_s()));
}

TEST_CASE("user and system share the exact total") {
  const CpuUsage usage{1'000'000'000, 30, 10};
  CHECK(usage.user_s() == doctest::Approx(0.75));
  CHECK(usage.sys_s() == doctest::Approx(0.25));
  CHECK(CpuUsage{5, 0, 0}.user_s() == doctest::Approx(5e-9));
  const CpuUsage sum = usage + CpuUsage{1, 2, 3};
  CHECK(sum.total == 1'000'000'001);
  CHECK(sum.sys == 13);
  CHECK((CpuUsage{1, 1, 1} - usage).total == 0);
}

TEST_CASE("another process is measured by its pid, whatever its name") {
  Child child;
  const auto times = ProcProcesses().times(child.pid);
  REQUIRE(times.has_value());
  CHECK(times->name == "a) b (c) 1 2");
  CHECK(times->parent == ::getpid());
  CHECK(times->started > 0);
  CHECK(times->faults > 0);
  const CpuUsage* const cpu = &times->own;
  CHECK(cpu->total >= kChildTime);
  // Ticks of 10 ms: the split can be off by one for each of the two parts.
  CHECK(cpu->user + cpu->sys + 20 * kMillisecond >= kChildTime);
  CHECK(cpu->user + cpu->sys <= cpu->total + 20 * kMillisecond);
  const auto memory = memory_of_process(child.pid);
  REQUIRE(memory.has_value());
  CHECK(memory->resident_bytes > 0);
  CHECK(memory->resident_bytes_max >= memory->resident_bytes);
}

TEST_CASE("a process that is gone is an error with a reason") {
  Child child;
  const pid_t pid = child.pid;
  child.end();
  const Error error = memory_of_process(pid).error();
  CHECK(error.code == ESRCH);
  CHECK(error.message() == "process " + std::to_string(pid) + ": No such process");
  for (const pid_t none : {pid, 0, -1}) CHECK_FALSE(ProcProcesses().times(none).has_value());
  CHECK_FALSE(ProcProcesses().runs(pid));
}

TEST_CASE("what a child has spent is its parent's when it was waited for, and nobody's otherwise") {
  for (const bool waited : {true, false}) {
    ProcProcesses processes;
    struct sigaction ignore{}, before{};
    ignore.sa_handler = SIG_IGN;
    if (!waited) ::sigaction(SIGCHLD, &ignore, &before);
    // The tree of this test, which is not left out of it.
    ProcessTree tree(processes, {::getpid()}, 0);
    CHECK(tree.look().lost.empty());
    {
      Child child;
      const auto look = tree.look();
      CHECK(look.lost.empty());
      CHECK(tree.has(child.pid));
      CHECK(look.spent.total >= kChildTime);
      ::kill(child.pid, SIGKILL);
      // With SIGCHLD ignored it returns when the child has gone, and has nothing to tell.
      ::waitpid(child.pid, nullptr, 0);
      child.pid = -1;
    }
    const auto look = tree.look();
    CHECK(look.lost.empty() == waited);
    CHECK((look.unsure > 0) == waited);
    if (!waited) ::sigaction(SIGCHLD, &before, nullptr);
  }
}

TEST_CASE("memory that was touched is resident") {
  constexpr std::size_t kTouched = 32 << 20;
  const std::vector<char> touched(kTouched, 1);
  CHECK(memory_of_process()->resident_bytes >= kTouched);
  CHECK(touched.back() == 1);
}

TEST_CASE("the machine's time adds up") {
  const MachineUsage before = machine_usage().value();
  spend(30 * kMillisecond);
  const MachineUsage spent = machine_usage().value() - before;
  CHECK(spent.total >= spent.busy + spent.steal);
  CHECK(spent.busy >= spent.softirq);
  CHECK(spent.busy_pct() <= 100);
  CHECK(MachineUsage().busy_pct() == 0);
  MachineUsage half;
  half.busy = 50;
  half.softirq = 10;
  half.steal = 1;
  half.total = 100;
  CHECK(half.busy_pct() == 50);
  CHECK(half.softirq_pct() == 10);
  CHECK(half.steal_pct() == 1);
}

TEST_CASE("the machine describes itself") {
  Machine machine = this_machine();
  CHECK(machine.system == "Linux");
  CHECK_FALSE(machine.kernel.empty());
  CHECK(machine.cores_allowed >= 1);
  CHECK(machine.memory_bytes > 0);
  CHECK(machine.nofile_soft > 0);
  CHECK(machine.nofile_hard >= machine.nofile_soft);
  CHECK(machine.wake_crosses_cores == (machine.cores_allowed > 1));

  machine = {};
  machine.system = "Linux";
  machine.kernel = "6.1.0";
  machine.architecture = "x86_64";
  machine.cpu = "AMD EPYC";
  machine.cores_allowed = machine.cores_online = 2;
  machine.wake_cost_ns = 20'000;
  machine.wake_crosses_cores = true;
  CHECK(describe(machine) == "Linux 6.1.0 x86_64, AMD EPYC, 2 cores, cross-core wake 20.0 us");
  machine.cores_allowed = 1;
  machine.wake_crosses_cores = false;
  machine.hypervisor = "KVM";
  CHECK(describe(machine) ==
        "Linux 6.1.0 x86_64, AMD EPYC, 1 core of 2, KVM, same-core wake 20.0 us");
  machine.wake_cost_ns = 0;
  CHECK(describe(machine).ends_with(", KVM, same-core wake unknown: it was busy"));
}

TEST_CASE("a wake-up of this machine takes less than a millisecond" *
          doctest::test_suite("realtime")) {
  CHECK(measure_wake_cost() < kMillisecond);  // 0 beside others that are busy.
}

TEST_CASE("the distance of two processors repeats, and another place is told apart" *
          doctest::test_suite("realtime")) {
  Nanoseconds distance = measure_core_distance();
  if (this_machine().cores_allowed < 2) {
    CHECK(distance == 0);
  } else {
    // Others may leave no batch alone, and a try takes 20 ms at most.
    for (int tries = 0; distance == 0 && tries < 1'000; ++tries) distance = measure_core_distance();
    CHECK(distance > 0);
    CHECK(distance < kMillisecond);
  }
  CHECK(same_distance(60, 90));
  CHECK(same_distance(90, 60));
  CHECK_FALSE(same_distance(60, 380));
  CHECK_FALSE(same_distance(380, 60));
  CHECK(same_distance(0, 380));
}

// Threads that spin through the turns of other programs take 30 to 60 ms each time. When they rest
// and leave is tested in simulated time (patience_test).
TEST_CASE("the distance of two processors costs little beside programs that are busy" *
          doctest::test_suite("realtime")) {
  const std::vector<int> cpus = allowed_cpus();
  if (cpus.size() < 2) {
    MESSAGE("not tried: there is one processor only");
    return;
  }
  std::deque<Child> busy;
  for (const int cpu : {cpus[0], cpus[1], cpus[0], cpus[1]}) {
    // Without system calls, at whose end a program may have to let others go first.
    busy.emplace_back([cpu] { CHECK(pin_this_thread(cpu)); },
                      [turns = std::atomic(0)]() mutable { ++turns; });
  }
  constexpr int kTimes = 10;
  const CpuUsage before = cpu_of_this_process();
  for (int time = 0; time < kTimes; ++time) measure_core_distance();
  CHECK((cpu_of_this_process() - before).total < kTimes * 15 * kMillisecond);
}

TEST_CASE("an echo through memory is timed trip by trip where there are two processors") {
  const std::vector<int> cpus = allowed_cpus();
  CHECK_FALSE(measure_memory_echo(64, kMillisecond, UINT64_MAX, cpus.front(), cpus.front()));
  if (cpus.size() < 2) {
    MESSAGE("not tried: there is one processor only");
    return;
  }
  for (const std::size_t size : {1, 64, 120, 121, 70'000}) {
    const Nanoseconds before = now_ns();
    const auto trips = measure_memory_echo(size, kMillisecond, UINT64_MAX, cpus[0], cpus[1]);
    const Nanoseconds took = now_ns() - before;
    REQUIRE(trips);
    CHECK(trips->count() > 0);
    CHECK(trips->min() > 0);
    const double all = trips->mean() * static_cast<double>(trips->count());
    // A trip counts as the middle of its bucket, which is at most 1/2048 more than it took.
    CHECK(all <= static_cast<double>(took) * (1 + 1. / 2048));
    CHECK(all >= static_cast<double>(kMillisecond) * 0.99);
  }
  const auto counted = measure_memory_echo(64, kNever, 7, cpus[0], cpus[1]);
  REQUIRE(counted);
  CHECK(counted->count() == 7);
}
