// Lists of processors, and pinning.
#include "base/cpus.h"

#include <doctest/doctest.h>
#include <sched.h>

#include <thread>

using namespace wiremark;

TEST_CASE("a list names processors in its own order") {
  CHECK(parse_cpus("0").value() == std::vector{0});
  CHECK(parse_cpus("3,0-2,7").value() == std::vector{3, 0, 1, 2, 7});
  CHECK(format_cpus({0, 2, 3, 4, 9}) == "0,2-4,9");
  CHECK(format_cpus({}) == "");
}

TEST_CASE("what is no list is refused, with the list in the message") {
  for (const char* bad :
       {"", ",", "a", "1,", "2-1", "-1", "1-", "1024", "1 2", "0x1", "99999999999"}) {
    CAPTURE(bad);
    const auto cpus = parse_cpus(bad);
    REQUIRE_FALSE(cpus.has_value());
    CHECK(cpus.error().message().find(bad) != std::string::npos);
  }
}

TEST_CASE("a pinned thread runs where it was put") {
  const int cpu = allowed_cpus().back();
  std::thread([cpu] {
    REQUIRE(pin_this_thread(cpu).has_value());
    CHECK(::sched_getcpu() == cpu);
    CHECK(allowed_cpus() == std::vector{cpu});
  }).join();
  CHECK_FALSE(pin_this_thread(1023).has_value());
}
