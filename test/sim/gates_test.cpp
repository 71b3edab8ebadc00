// Runs of a load whose figures are known exactly, in virtual time: each is held against the
// simulator's own record, bucket by bucket, and against what arithmetic says.
#include <doctest/doctest.h>

#include "measure/late.h"
#include "scenario.h"

using namespace wiremark;
using namespace wiremark::load;
using net::sim::Stall;

namespace {

// 10 connections x 100/s for 10 s, over a path of 20 us each way.
Scenario open_loop() {
  Scenario scenario;
  scenario.plan.connections = 10;
  scenario.plan.rate_hz = 100;
  scenario.plan.duration = 10 * kSecond;
  scenario.plan.timeout = 30 * kSecond;
  scenario.plan.pipeline = 400;
  scenario.load.reactor.heartbeat = 10 * kMillisecond;
  scenario.exchange.size = SizeRange{64, 64};
  return scenario;
}

Scenario closed_loop() {
  Scenario scenario;
  scenario.plan.connections = 10;
  scenario.plan.requests = 10'000;
  scenario.plan.timeout = kSecond;
  scenario.load.reactor.heartbeat = 10 * kMillisecond;
  scenario.exchange.size = SizeRange{64, 64};
  return scenario;
}

Played exactly(const Scenario& scenario) {
  Played played = play(scenario);
  for (const std::string& difference : played.differences) CHECK_MESSAGE(false, difference);
  return played;
}

// Of what the connections started with: the gate opens a few milliseconds after the epoch.
constexpr Nanoseconds kBegun = kEpoch + 3 * kMillisecond;

Stall stall_of(Nanoseconds from, Nanoseconds length) {
  return {kBegun + from, kBegun + from + length};
}

void check_near(Nanoseconds value, Nanoseconds wanted, Nanoseconds tolerance) {
  CHECK(value >= wanted - tolerance);
  CHECK(value <= wanted + tolerance);
}

}  // namespace

TEST_CASE("the stall gate: a server that stands still for a second of ten delays what was due") {
  Scenario scenario = open_loop();
  scenario.server.stalls = {stall_of(4 * kSecond, kSecond)};
  const Played played = exactly(scenario);
  CHECK(played.answered == 10'000);
  // 1,000 of 10,000 messages come due in the stall and wait for its end, evenly spread.
  const auto& response = played.counts->response;
  check_near(response.percentile(95), 500 * kMillisecond, 2 * kMillisecond);
  check_near(response.percentile(99), 900 * kMillisecond, 2 * kMillisecond);
  check_near(response.percentile(99.9), 990 * kMillisecond, 2 * kMillisecond);
  CHECK(response.percentile(50) < 50 * kMicrosecond);
  check_near(static_cast<Nanoseconds>(response.mean()), 50 * kMillisecond, kMillisecond);
  CHECK(played.counts->lateness.max() < 20 * kMicrosecond);
  CHECK(played.counts->overdue.get() == 0);
  CHECK(played.counts->held.get() == 0);
  // None of it is the load's own.
  check_near(played.counts->least.percentile(99), 900 * kMillisecond, 2 * kMillisecond);
  CHECK(played.counts->gap_max_ns < kMillisecond);
}

TEST_CASE("what waits for room behind a server that stands still is not the load's fault") {
  Scenario scenario = open_loop();
  scenario.plan.pipeline = 1;
  scenario.server.stalls = {stall_of(4 * kSecond, kSecond)};
  const Played played = exactly(scenario);
  CHECK(played.answered == 10'000);
  // One message of each connection lies in the server; the other 99 are held here, and all but
  // those of the last 10 ms leave late.
  CHECK(played.counts->overdue.get() == 0);
  check_near(played.counts->held.get(), 995, 5);
  check_near(played.counts->lateness.count_above(measure::kLateNs), 980, 4);
}

TEST_CASE("the mirror gate: a load that stands still itself has the same latencies, and says so") {
  Scenario scenario = open_loop();
  scenario.load.stalls = {stall_of(4 * kSecond, kSecond)};
  const Played played = exactly(scenario);
  CHECK(played.answered == 10'000);
  const auto& response = played.counts->response;
  check_near(response.percentile(95), 500 * kMillisecond, 2 * kMillisecond);
  check_near(response.percentile(99), 900 * kMillisecond, 2 * kMillisecond);
  check_near(played.counts->lateness.percentile(99), 900 * kMillisecond, 2 * kMillisecond);
  CHECK(played.counts->service.max() < 2 * kMillisecond);
  // All but what came due in the last 10 ms of it.
  check_near(played.counts->overdue.get(), 990, 2);
  CHECK(played.counts->held.get() == 0);
  // All of it is the load's own.
  CHECK(played.counts->least.max() < 2 * kMillisecond);
  check_near(played.counts->gap_max_ns, kSecond, 12 * kMillisecond);
  check_near(played.counts->held_up_ns.get(), kSecond, 15 * kMillisecond);
}

TEST_CASE("what waits for room behind a load that stood still is its fault, and not the server's") {
  Scenario scenario = open_loop();
  scenario.plan.pipeline = 1;
  scenario.load.stalls = {stall_of(4 * kSecond, kSecond)};
  const Played played = exactly(scenario);
  CHECK(played.counts->held.get() > 900);
  check_near(played.counts->response.percentile(99), 900 * kMillisecond, 5 * kMillisecond);
  CHECK(played.counts->least.max() < 10 * kMillisecond);
}

TEST_CASE("a closed loop that stood still knows it, to a heartbeat") {
  for (const bool datagrams : {false, true}) {
    Scenario scenario = closed_loop();
    scenario.datagrams = datagrams;
    scenario.plan.timeout = 10 * kSecond;
    scenario.load.stalls = {stall_of(10 * kMillisecond, kSecond)};
    const Played played = exactly(scenario);
    CHECK(played.counts->response.count_above(500 * kMillisecond) == 10);
    CHECK(played.counts->least.max() < 15 * kMillisecond);
    check_near(played.counts->gap_max_ns, kSecond, 12 * kMillisecond);
  }
}

TEST_CASE("a closed loop that is stopped most of the time has only its own latencies") {
  Scenario scenario = closed_loop();
  scenario.plan.requests = 0;
  scenario.plan.duration = 2 * kSecond;
  scenario.plan.timeout = 10 * kSecond;
  scenario.server.path.latency = 15 * kMillisecond;  // So that each answer comes in a stop.
  for (Nanoseconds at = 0; at < 2 * kSecond; at += 50 * kMillisecond)
    scenario.load.stalls.push_back(stall_of(at, 40 * kMillisecond));
  const Played played = exactly(scenario);
  CHECK(played.counts->response.percentile(50) > 30 * kMillisecond);
  CHECK(played.counts->least.percentile(50) < 16 * kMillisecond);
  CHECK(played.counts->held_up_ns.get() > kSecond);
}

TEST_CASE("both stalls together: each message waits for the one that it meets") {
  Scenario scenario = open_loop();
  scenario.server.stalls = {stall_of(2 * kSecond, kSecond)};
  scenario.load.stalls = {stall_of(6 * kSecond, kSecond)};
  const Played played = exactly(scenario);
  CHECK(played.answered == 10'000);
  check_near(played.counts->response.percentile(90), 500 * kMillisecond, 2 * kMillisecond);
  check_near(played.counts->lateness.percentile(95), 500 * kMillisecond, 2 * kMillisecond);
  check_near(played.counts->service.percentile(95), 500 * kMillisecond, 2 * kMillisecond);
}

TEST_CASE("a load that stood still over its timeout takes in what lies in its sockets first") {
  Scenario scenario = open_loop();
  scenario.plan.timeout = 200 * kMillisecond;
  scenario.server.path.latency = 100 * kMillisecond;  // So that replies are on their way.
  scenario.load.events_per_turn = 2;
  scenario.load.stalls = {stall_of(4 * kSecond, kSecond)};
  const Played played = exactly(scenario);
  CHECK(played.failed == 0);
  CHECK(played.answered == 10'000);
}

TEST_CASE("a closed loop sends when the reply is there, and its latencies are the path's") {
  Scenario scenario = closed_loop();
  const Played played = exactly(scenario);
  CHECK(played.planned == 10'000);
  CHECK(played.answered == 10'000);
  CHECK(played.counts->response.min() >= 40 * kMicrosecond);
  CHECK(played.counts->response.max() <= 60 * kMicrosecond);
}

TEST_CASE("a stalled server costs a closed loop one slow message for each connection") {
  Scenario scenario = closed_loop();
  scenario.plan.timeout = 10 * kSecond;
  scenario.server.stalls = {stall_of(10 * kMillisecond, kSecond)};
  const Played played = exactly(scenario);
  CHECK(played.counts->response.count_above(500 * kMillisecond) == 10);
}

TEST_CASE("pipelining keeps as many messages under way as it may, and no more") {
  Scenario scenario = closed_loop();
  scenario.plan.pipeline = 16;
  scenario.load.path.latency = scenario.server.path.latency = kMillisecond;
  const Played played = exactly(scenario);
  CHECK(played.answered == 10'000);
  // 160 under way at a time, each for 2 ms and a little.
  const Nanoseconds took = played.ended - played.started;
  check_near(took, 10'000 / 160 * 2 * kMillisecond, 4 * kMillisecond);
}

TEST_CASE("churn closes each connection after its share of messages, and loses none") {
  for (const bool open : {false, true}) {
    Scenario scenario = open ? open_loop() : closed_loop();
    scenario.plan.churn = 7;
    const Played played = exactly(scenario);
    CHECK(played.answered == 10'000);
    CHECK(played.failed == 0);
    CHECK(played.counts->connected.get() >= 10'000 / 7);
  }
}

TEST_CASE("a broken connection is opened again, and what was under way with it is lost") {
  for (const bool open : {false, true}) {
    Scenario scenario = open ? open_loop() : closed_loop();
    scenario.plan.reconnect = true;
    scenario.plan.pipeline = 4;
    scenario.resets = {7 * kMillisecond + 1'000, 8 * kMillisecond, 9 * kMillisecond + 7'000};
    const Played played = exactly(scenario);
    CHECK(played.failed == 3);
    if (open) CHECK(played.counts->connected.get() == 13);
    CHECK(played.sent == played.planned);
    CHECK(played.answered < (open ? 10'001 : 10'000));
    CHECK(played.answered + 3 * 4 >= played.sent);
  }
}

TEST_CASE("without --reconnect a broken connection is gone with the rest of its plan") {
  Scenario scenario = open_loop();
  scenario.resets = {5 * kSecond};
  const Played played = exactly(scenario);
  CHECK(played.planned == 10'000);
  CHECK(played.sent < 9'510);
  CHECK(played.sent > 9'490);
}

TEST_CASE("what waited for a connection that broke holds up nobody's end") {
  Scenario scenario = open_loop();
  scenario.plan.pipeline = 1;
  scenario.server.stalls = {stall_of(4 * kSecond, kSecond)};
  scenario.resets = {5 * kSecond};  // Of one whose messages have waited since the stall began.
  const Played played = exactly(scenario);
  CHECK(played.failed == 1);
  CHECK(played.ended - played.started < 11 * kSecond);
}

TEST_CASE("a straggler ends with its timeout, and holds up no other") {
  Scenario scenario = closed_loop();
  scenario.plan.requests = 0;
  scenario.plan.duration = kSecond;
  scenario.plan.timeout = 100 * kMillisecond;
  scenario.server.slow_readers = 0.2;
  scenario.server.slow_pause = 3 * kSecond;
  const Played played = exactly(scenario);
  CHECK(played.failed > 0);
  CHECK(played.failed < 10);
  CHECK(played.sent == played.answered + played.failed);
  CHECK(played.ended - played.started < 1'200 * kMillisecond);
}

TEST_CASE("a slow accept delays the connection, and no message of the plan") {
  Scenario scenario = open_loop();
  scenario.plan.connections = 100;
  scenario.plan.rate_hz = 10;
  scenario.server.accepts_per_turn = 1;
  scenario.server.turn_cost = kMillisecond;
  scenario.server.backlog = 8;
  scenario.load.path.jitter = 20 * kMillisecond;  // Else all would ask again at the same moment.
  const Played played = exactly(scenario);
  CHECK(played.answered == 10'000);
  // What met the full queue asked again after a second.
  CHECK(played.counts->connect.max() > kSecond);
}

TEST_CASE("nobody listens: every connection is refused, and the run ends") {
  Scenario scenario = open_loop();
  scenario.listens_at = kNever;
  const Played played = exactly(scenario);
  CHECK(played.failed == 10);
  CHECK(played.counts->errors.begin()->first == "connect: Connection refused");
  CHECK(played.sent == 0);
}

TEST_CASE("a half-close by the server lets its answers come, and is told as its end") {
  Scenario scenario = closed_loop();
  scenario.plan.reconnect = true;
  scenario.half_closes = {5 * kMillisecond, 6 * kMillisecond};
  const Played played = exactly(scenario);
  CHECK(played.counts->errors["closed by the server"] == 2);
  CHECK(played.sent == played.planned);
}

TEST_CASE("Poisson arrivals leave at their times, whatever they are") {
  Scenario scenario = open_loop();
  scenario.poisson = true;
  scenario.plan.warmup = kSecond;
  const Played played = exactly(scenario);
  CHECK(played.answered == played.planned);
  check_near(played.planned, 10'000, 400);
  CHECK(played.counts->lateness.max() < 100 * kMicrosecond);
}

TEST_CASE("kernel timestamps time an answer that waits for the loop to read it") {
  Scenario scenario = open_loop();
  scenario.load.reactor.receive_timestamps = true;
  scenario.load.wake_cost = 5 * kMillisecond;
  const Played played = exactly(scenario);
  CHECK(played.counts->service.max() < 100 * kMicrosecond);
}

TEST_CASE("every format goes both ways, in pieces of any size") {
  for (const std::string& name : exchange_names()) {
    CAPTURE(name);
    Scenario scenario = closed_loop();
    scenario.exchange.name = name;
    if (name != "raw") scenario.exchange.size.reset();
    scenario.plan.pipeline = 3;
    scenario.load.split = scenario.server.split = true;
    CHECK(exactly(scenario).answered == 10'000);
  }
}

TEST_CASE("the staged server answers in its ticks") {
  Scenario scenario = closed_loop();
  scenario.tick = 10 * kMillisecond;
  const Played played = exactly(scenario);
  CHECK(played.answered == 10'000);
  CHECK(played.counts->response.percentile(50) > 9 * kMillisecond);
}

TEST_CASE("datagrams: without loss every message is answered, in any format") {
  for (const std::string& name : exchange_names()) {
    CAPTURE(name);
    Scenario scenario = open_loop();
    scenario.datagrams = true;
    scenario.plan.timeout = kSecond;
    scenario.exchange.name = name;
    if (name != "raw") scenario.exchange.size.reset();
    const Played played = exactly(scenario);
    CHECK(played.answered == 10'000);
    CHECK(played.counts->duplicated.get() == 0);
  }
}

TEST_CASE("datagrams: lost ones cost a closed loop a timeout each, and are counted") {
  Scenario scenario = closed_loop();
  scenario.datagrams = true;
  scenario.plan.timeout = 100 * kMillisecond;
  scenario.load.path.loss = 0.01;
  const Played played = exactly(scenario);
  CHECK(played.sent == 10'000);
  check_near(played.sent - played.answered, 100, 40);
  CHECK(played.late == 0);
}

TEST_CASE("datagrams: what is answered after the timeout is late, what comes twice is a copy") {
  Scenario scenario = open_loop();
  scenario.datagrams = true;
  scenario.plan.timeout = 10 * kMillisecond;
  scenario.server.path.reordering = 0.1;
  scenario.server.path.detour = 20 * kMillisecond;
  scenario.server.path.duplication = 0.05;
  const Played played = exactly(scenario);
  check_near(played.late, 500, 120);
  CHECK(played.counts->duplicated.get() > 400);
  CHECK(played.sent == 10'000);
  // Those that are late and those that are lost make up the rest.
  CHECK(played.sent - played.answered == played.late);
}

TEST_CASE("datagrams: a load that stood still judges none that lies in its sockets") {
  Scenario scenario = open_loop();
  scenario.datagrams = true;
  scenario.plan.timeout = 50 * kMillisecond;
  scenario.server.path.latency = 20 * kMillisecond;
  scenario.load.stalls = {stall_of(4 * kSecond, kSecond)};
  const Played played = exactly(scenario);
  CHECK(played.answered == 10'000);
}

TEST_CASE("datagrams: nobody listens, and the run ends at once") {
  Scenario scenario = open_loop();
  scenario.datagrams = true;
  scenario.listens_at = kNever;
  const Played played = play(scenario);
  CHECK(played.counts->errors.begin()->first == kUnreachable);
  CHECK(played.ended - played.started < 200 * kMillisecond);
}
