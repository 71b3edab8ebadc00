// Threads that serve: ready, pinned, failing, spread over one port.
#include "net/workers.h"

#include <doctest/doctest.h>
#include <sched.h>

#include <array>
#include <atomic>
#include <vector>

#include "client.h"
#include "server.h"

using namespace wiremark;
using namespace wiremark::net;

TEST_CASE("workers are pinned to the list in turn and ready when all are") {
  const std::vector<int> cpus = allowed_cpus();
  REQUIRE_FALSE(cpus.empty());
  const std::vector<int> list{cpus.front(), cpus.back()};
  std::array<std::atomic<int>, 3> ran_on{-1, -1, -1};
  Stop stop;
  Workers workers(3, list, stop, [&](std::size_t index, const auto& ready) -> Result<> {
    ran_on[index] = ::sched_getcpu();
    ready();
    while (!stop.requested()) std::this_thread::yield();
    return {};
  });
  CHECK(workers.wait_ready());
  for (std::size_t i = 0; i < ran_on.size(); ++i) CHECK(ran_on[i] == list[i % 2]);
  stop.request();
  CHECK(workers.join());
}

TEST_CASE("the first failure stops all and is what join and wait_ready tell") {
  Stop stop;
  Workers workers(3, {}, stop, [&](std::size_t index, const auto& ready) -> Result<> {
    if (index == 1) return failed("listen", "here", EADDRINUSE);
    ready();
    while (!stop.requested()) std::this_thread::yield();
    return {};
  });
  const auto ready = workers.wait_ready();
  REQUIRE_FALSE(ready);
  CHECK(ready.error().operation == "listen");
  const auto joined = workers.join();
  REQUIRE_FALSE(joined);
  CHECK(joined.error().code == EADDRINUSE);
}

TEST_CASE("a processor that is not there is a failure") {
  Stop stop;
  Workers workers(1, {1'023}, stop, [](std::size_t, const auto&) -> Result<> { return {}; });
  CHECK_FALSE(workers.wait_ready());
  CHECK(stop.requested());
}

TEST_CASE("two listeners share a port and both are given connections") {
  ListenOptions shared;
  shared.share_port = true;
  Echo one, two;
  Server<EpollReactor, Echo> first(one, {}, "127.0.0.1:0", shared);
  Server<EpollReactor, Echo> second(two, {}, first.address().to_string(), shared);
  for (int i = 0; i < 100; ++i) {
    Client client(first.address());
    CHECK(client.exchange("x") == "x");
  }
  CHECK(first.stats().accepted.get() > 0);
  CHECK(second.stats().accepted.get() > 0);
  CHECK(first.stats().accepted.get() + second.stats().accepted.get() == 100);
}
