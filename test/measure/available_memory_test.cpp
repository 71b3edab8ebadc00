// What is left for this process: of the machine, and of its cgroups.
#include "measure/available_memory.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include "fake_proc.h"

using namespace wiremark::measure;

TEST_CASE("the memory left is that of the tightest cgroup, and cached files count as left") {
  const FakeProc proc;
  CHECK(available_memory(proc.root()) == 0);
  proc.write("meminfo",
             "MemTotal:        9000 kB\nMemFree:         1000 kB\nMemAvailable:    8000 kB\n");
  CHECK(available_memory(proc.root()) == 8'192'000);

  proc.write(std::to_string(::getpid()) + "/cgroup", "0::/user.slice/job\n");
  proc.write("self/mountinfo",
             "30 24 0:26 / " + proc.root() + "/cg rw shared:4 - cgroup2 cgroup2 rw\n");
  for (const char* cgroup : {"cg", "cg/user.slice", "cg/user.slice/job"})
    proc.write(std::string(cgroup) + "/cpu.stat", "nr_throttled 0\nthrottled_usec 0\n");
  proc.write("cg/user.slice/memory.max", "max\n");
  proc.write("cg/user.slice/memory.current", "7000000\n");
  CHECK(available_memory(proc.root()) == 8'192'000);
  proc.write("cg/user.slice/job/memory.max", "1000000\n");
  proc.write("cg/user.slice/job/memory.current", "990000\n");
  CHECK(available_memory(proc.root()) == 10'000);
  proc.write("cg/user.slice/job/memory.stat",
             "anon 300000\nfile 690000\ninactive_file 400000\nactive_file 250000\n");
  CHECK(available_memory(proc.root()) == 660'000);
}
