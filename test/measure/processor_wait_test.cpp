// What the kernel says of threads without a processor is read, in cgroups of both versions.
#include "measure/processor_wait.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cerrno>
#include <latch>
#include <thread>

#include "base/cpus.h"
#include "fake_proc.h"
#include "measure/cpu_usage.h"

using namespace wiremark;
using namespace wiremark::measure;

TEST_CASE("the quota of a cgroup v2 and of those above it") {
  const FakeProc proc;
  proc.write("7/cgroup", "0::/user.slice/job\n");
  proc.write("self/mountinfo", "24 1 0:22 / /proc rw - proc proc rw\n30 24 0:26 / " + proc.root() +
                                   "/cg rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
  proc.write("cg/cpu.stat", "usage_usec 12\nuser_usec 9\nsystem_usec 3\n");
  proc.write("cg/user.slice/cpu.stat", "usage_usec 12\nnr_throttled 5\nthrottled_usec 90\n");
  proc.write("cg/user.slice/job/cpu.stat", "usage_usec 1\nnr_throttled 0\nthrottled_usec 0\n");
  const auto found = throttling_of(7, proc.root());
  REQUIRE(found.size() == 2);
  CHECK(found[0].cgroup == "/user.slice/job");
  CHECK(found[0].times == 0);
  CHECK(found[1].cgroup == "/user.slice");
  CHECK(found[1].times == 5);
  CHECK(found[1].stopped == 90 * kMicrosecond);
  CHECK(throttling_of(8, proc.root()).empty());
}

TEST_CASE("the quota of a cgroup v1, whose mount shows a part of the hierarchy") {
  const FakeProc proc;
  proc.write("7/cgroup", "3:cpuset:/\n2:cpu,cpuacct:/docker/a/b\n0::/\n");
  proc.write("self/mountinfo", "31 24 0:27 /docker/a " + proc.root() +
                                   "/cpu ro - cgroup cgroup rw,cpu,cpuacct\n32 24 0:28 / " +
                                   proc.root() + "/cpuset rw - cgroup cgroup rw,cpuset\n");
  proc.write("cpu/cpu.stat", "nr_periods 9\nnr_throttled 2\nthrottled_time 1500\n");
  proc.write("cpu/b/cpu.stat", "nr_periods 9\nnr_throttled 1\nthrottled_time 700\n");
  proc.write("cpuset/cpu.stat", "nr_throttled 99\nthrottled_time 99\n");
  const auto found = throttling_of(7, proc.root());
  REQUIRE(found.size() == 2);
  CHECK(found[0].cgroup == "/docker/a/b");
  CHECK(found[0].stopped == 700);
  CHECK(found[1].cgroup == "/docker/a");
  CHECK(found[1].stopped == 1'500);
}

TEST_CASE("between two samples the cgroup counts that stopped its threads longest") {
  const std::vector<Throttling> before = {{"/a/b", 4, 100}, {"/a", 7, 5'000}};
  const std::vector<Throttling> after = {{"/a/b", 6, 900}, {"/a", 8, 5'100}};
  const Throttling longest = longest_stop(after, before);
  CHECK(longest.cgroup == "/a/b");
  CHECK(longest.times == 2);
  CHECK(longest.stopped == 800);
  CHECK(longest_stop(before, before).cgroup == "/a/b");
  CHECK(longest_stop(before, before).times == 0);
  CHECK(longest_stop({}, {}).cgroup.empty());
}

TEST_CASE("two threads on one processor wait for one another" * doctest::test_suite("realtime")) {
  const auto before = run_delays_of_process(::getpid());
  if (!before) {
    MESSAGE("no schedstat here: " << before.error().message());
    return;
  }
  RunDelay waited[2];
  const int cpu = allowed_cpus().front();
  std::latch both(2);  // Or one might be through before the other begins.
  const auto spend = [&](RunDelay& result) {
    REQUIRE(pin_this_thread(cpu));
    both.arrive_and_wait();
    const CpuUsage start = cpu_of_this_thread();
    while ((cpu_of_this_thread() - start).total < 50 * kMillisecond) {
    }
    result = *run_delay_of_this_thread();
    CHECK(run_delay_of_thread(::gettid())->waited >= result.waited);
  };
  std::thread one([&] { spend(waited[0]); });
  std::thread other([&] { spend(waited[1]); });
  one.join();
  other.join();
  CHECK(waited[0].waited + waited[1].waited > 25 * kMillisecond);
  CHECK(waited[0].slices > 0);
  CHECK_FALSE(run_delays_of_process(::getpid())->empty());
  CHECK(run_delays_of_process(999'999'999).error().code == ESRCH);
}

TEST_CASE("threads that ran for a tenth of the time are busy, and those that are new count whole") {
  const std::vector<ThreadDelay> before = {{1, {5 * kSecond, 10, 1}}, {2, {0, 0, 0}}};
  const std::vector<ThreadDelay> after = {
      {1, {6 * kSecond, 30, 2}}, {2, {90 * kMillisecond, 5, 4}}, {3, {kSecond / 10, 7, 1}}};
  const ProcessDelay spent = delay_between(after, before, 1);
  CHECK(spent.threads_busy == 2);
  CHECK(spent.delay.waited == 32);
  CHECK(spent.delay.slices == 6);
  CHECK(processors_of(::getpid()) == allowed_cpus().size());
  CHECK(processors_of(999'999'999) == 1);
}
