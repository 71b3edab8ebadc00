// Several processes as one load: together they send what one would, message for message.
#include <doctest/doctest.h>

#include <algorithm>
#include <compare>
#include <vector>

#include "load/plan/plan.h"
#include "load/plan/walk.h"

namespace wiremark::load {

namespace {

struct Planned {
  Nanoseconds at;
  std::uint64_t connection;
  std::uint64_t sequence;
  bool measured;

  auto operator<=>(const Planned&) const = default;
};

struct Later {
  Nanoseconds now() const { return kNever; }
};

struct Case {
  const char* name;
  std::size_t connections;
  double rate_hz;
  Nanoseconds duration;
  std::uint64_t requests;
  bool poisson;
};

// None of them divides by 2, 3 and 7.
constexpr Case kCases[] = {
    {"even", 23, 10, kSecond, 0, false},
    {"even, a number", 23, 10, 0, 101, false},
    {"a rate that is not whole", 11, 100.0 / 11, kSecond, 0, false},
    {"random", 23, 10, kSecond, 0, true},
    {"random, a number", 23, 10, 0, 101, true},
    {"fewer messages than processes", 23, 10, 0, 2, false},
};

Plan plan_of(const Case& one) {
  Plan plan;
  plan.connections = one.connections;
  plan.rate_hz = one.rate_hz;
  plan.duration = one.duration;
  plan.requests = one.requests;
  plan.warmup = kSecond / 3;
  const auto within = [&](Nanoseconds length, std::uint64_t places) {
    return one.poisson ? Schedule::poisson(one.connections, one.rate_hz, length, places, 7)
                       : Schedule(one.connections, one.rate_hz, length, places);
  };
  const std::uint64_t warming = within(plan.warmup, UINT64_MAX).places();
  plan.schedule = one.requests > 0 ? within(kNever, warming + one.requests)
                                   : within(plan.warmup + plan.duration, UINT64_MAX);
  return plan;
}

// What one process plans, added to `all`; returns how many are measured.
std::uint64_t walk(const Plan& plan, std::vector<Planned>& all) {
  std::uint64_t measured = 0;
  for (std::size_t thread = 0; thread < plan.threads; ++thread) {
    Walk walk(plan, thread);
    walk.start(kSecond);
    Counts counts;
    std::vector<std::uint64_t> sequences(walk.clients());
    const auto due = [&](std::size_t client, Nanoseconds now) {
      const std::uint64_t sequence = sequences[client]++;
      all.push_back({walk.planned_ns(client, sequence), walk.number(client), sequence,
                     walk.measured(client, sequence)});
      return now;
    };
    while (walk.go(kNever - 1, Later(), counts, due) != kNever) {
    }
    measured += counts.planned.get();
  }
  return measured;
}

}  // namespace

TEST_CASE("the plans of all shares are the plan of one load of the whole size") {
  for (const Case& one : kCases) {
    std::vector<Planned> whole;
    const std::uint64_t measured = walk(plan_of(one), whole);
    std::ranges::sort(whole);
    REQUIRE(whole.size() > 2);
    for (const unsigned of : {2u, 3u, 7u}) {
      CAPTURE(one.name);
      CAPTURE(of);
      std::vector<Planned> together;
      std::uint64_t measured_together = 0;
      std::size_t connections = 0;
      for (unsigned index = 0; index < of; ++index) {
        Plan plan = plan_of(one);  // Processes need not have equally many threads.
        plan.share = {index, of};
        plan.threads = std::min<std::size_t>(plan.own_connections(), 1 + index % 3);
        connections += plan.own_connections();
        const std::uint64_t own = walk(plan, together);
        if (one.requests > 0) CHECK(own == plan.own_requests());
        measured_together += own;
      }
      std::ranges::sort(together);
      CHECK(together == whole);
      CHECK(measured_together == measured);
      CHECK(connections == one.connections);
    }
  }
}

TEST_CASE("what a closed loop is asked to send is dealt out without a remainder") {
  for (const unsigned of : {1u, 2u, 3u, 7u}) {
    for (const std::uint64_t requests : {1u, 2u, 100u, 1'000u}) {
      std::uint64_t dealt = 0, by_threads = 0;
      for (unsigned index = 0; index < of; ++index) {
        Plan plan;
        plan.share = {index, of};
        plan.threads = 3;
        plan.requests = requests;
        dealt += plan.own_requests();
        for (std::size_t thread = 0; thread < 3; ++thread)
          by_threads += plan.part_of(requests, thread);
      }
      CHECK(dealt == requests);
      CHECK(by_threads == requests);
    }
  }
}

TEST_CASE("each share uses all of its source addresses in turn") {
  for (const unsigned index : {0u, 1u}) {
    Plan plan;
    plan.connections = 8;
    plan.share = {index, 2};
    const Walk walk(plan, 0);
    for (std::size_t client = 0; client < walk.clients(); ++client)
      CHECK(walk.own_number(client) == client);
  }
}

}  // namespace wiremark::load
