// Runs of a load whose figures are known exactly, in virtual time: each is held against the
// simulator's own record, bucket by bucket, and against what arithmetic says.
#include <doctest/doctest.h>

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

// When the first connection is started: a few milliseconds after the epoch.
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
  CHECK(played.counts->held_up.all().longest < kMillisecond);
}

TEST_CASE("what waits for room behind a server that stands still is not the load's fault") {
  Scenario scenario = open_loop();
  scenario.plan.pipeline = 1;
  scenario.server.stalls = {stall_of(4 * kSecond, kSecond)};
  const Played played = exactly(scenario);
  CHECK(played.answered == 10'000);
  // One message of each connection is in the stalled server; the other 99 wait here, and all but
  // those of the last 10 ms are sent behind their time.
  CHECK(played.counts->overdue.get() == 0);
  check_near(played.counts->held.get(), 995, 5);
  check_near(played.counts->behind.get(), 980, 4);
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
  check_near(played.counts->held_up.all().longest, kSecond, 12 * kMillisecond);
  check_near(played.counts->held_up.all().sum, kSecond, 15 * kMillisecond);
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

TEST_CASE("of a plan beyond the load's own speed, what was never sent is unsent, and not overdue") {
  Scenario scenario = open_loop();
  scenario.plan.connections = 1;
  scenario.plan.rate_hz = 1e6;
  scenario.plan.duration = 100 * kMillisecond;
  scenario.plan.timeout = 50 * kMillisecond;
  scenario.load.send_cost = 100 * kMicrosecond;
  const Played played = exactly(scenario);
  CHECK(played.planned == 100'000);
  CHECK(played.sent < 2'000);
  // All but those of the first 10 ms.
  check_near(played.counts->overdue.get(), played.sent - 100, 2);
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
    check_near(played.counts->held_up.all().longest, kSecond, 12 * kMillisecond);
  }
}

TEST_CASE("of a stop across the start or the end, the part counts that lies within") {
  for (const bool datagrams : {false, true}) {
    Scenario scenario = closed_loop();
    scenario.datagrams = datagrams;
    scenario.plan.requests = 0;
    scenario.plan.duration = kSecond;
    scenario.plan.timeout = 10 * kSecond;
    scenario.load.stalls = {stall_of(700 * kMillisecond, kSecond)};
    const Played at_end = exactly(scenario);
    check_near(at_end.counts->held_up.all().sum, 300 * kMillisecond, 12 * kMillisecond);
    scenario.plan.warmup = kSecond;
    const Played at_start = exactly(scenario);
    check_near(at_start.counts->held_up.all().sum, 700 * kMillisecond, 12 * kMillisecond);
  }
}

TEST_CASE("what is waited for behind the last answer takes nothing from the rate before it") {
  Scenario scenario = closed_loop();
  scenario.datagrams = true;
  scenario.plan.connections = 2;
  scenario.plan.requests = 100;
  scenario.load.path.latency = scenario.server.path.latency = 10 * kMillisecond;
  scenario.load.send_cost = 100 * kMicrosecond;  // So that no two arrive at the same moment.
  // The last two messages leave after 985 ms. One finds room in the socket of a server that stands
  // still, and is answered after 1,100 ms; the other is given up after the second of its timeout.
  scenario.server.datagram_queue = 1;
  scenario.server.stalls = {stall_of(990 * kMillisecond, 100 * kMillisecond)};
  scenario.load.stalls = {stall_of(1'300 * kMillisecond, kSecond)};
  const Played played = exactly(scenario);
  CHECK(played.answered == 99);
  const Counts& counts = *played.counts;
  check_near(counts.lost_wait.until(counts.last_answer_ns).sum, 115 * kMillisecond,
             5 * kMillisecond);
  CHECK(counts.lost_wait.all().sum >= kSecond);
  CHECK(counts.held_up.until(counts.last_answer_ns).sum == 0);
  check_near(counts.held_up.all().sum, kSecond, 12 * kMillisecond);
  // With more messages to come all of it counts: until the load, which stood still, gives it up.
  scenario.plan.requests = 300;
  const Played longer = exactly(scenario);
  CHECK(longer.answered == 299);
  check_near(longer.counts->lost_wait.until(longer.counts->last_answer_ns).sum,
             1'320 * kMillisecond, 30 * kMillisecond);
}

TEST_CASE("what is behind its time is counted to the nanosecond") {
  Scenario scenario = open_loop();
  scenario.plan.connections = 10;
  scenario.plan.rate_hz = 50'000;  // One every 2 us, of which several lie in a histogram's bucket.
  scenario.plan.duration = 100 * kMillisecond;
  scenario.plan.pipeline = 5'000;
  scenario.load.stalls = {stall_of(20 * kMillisecond, 30 * kMillisecond)};
  const Played played = exactly(scenario);
  CHECK(played.result.pacing->behind >= 10'000);
  CHECK(played.result.pacing->behind == played.result.pacing->overdue);
}

TEST_CASE("a run in which every message was lost lasted until they were given up") {
  Scenario scenario = closed_loop();
  scenario.datagrams = true;
  scenario.plan.connections = scenario.plan.requests = 2;
  scenario.load.path.loss = 1;
  const Played played = exactly(scenario);
  CHECK(played.sent == 2);
  CHECK(played.answered == 0);
  CHECK(played.result.totals.seconds >= 1);
  CHECK(played.result.totals.seconds < 1.5);
  CHECK(*played.result.delivery->lost_wait_s >= 2);
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
  CHECK(played.counts->held_up.all().sum > kSecond);
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

TEST_CASE("a connection that broke behind a reply is opened again, and loses what was under way") {
  for (const bool open : {false, true}) {
    Scenario scenario = open ? open_loop() : closed_loop();
    scenario.plan.pipeline = 4;
    scenario.load.path.latency = scenario.server.path.latency = 9 * kMillisecond;
    scenario.resets = {207 * kMillisecond, 208 * kMillisecond, 209 * kMillisecond};
    const Played played = exactly(scenario);
    CHECK(played.failed == 3);
    CHECK(played.counts->connected.get() == 13);
    CHECK(played.counts->opened_again.get() == 3);
    CHECK(played.counts->closed_idle.get() == 0);
    CHECK(played.sent == played.planned);
    CHECK(played.answered < played.sent);
    CHECK(played.answered + 3 * 4 >= played.sent);
  }
}

TEST_CASE("a connection that broke behind a reply of a closed loop is opened again at once") {
  Scenario scenario = closed_loop();
  scenario.plan.requests = 0;
  scenario.plan.duration = kSecond;
  scenario.plan.timeout = 30 * kSecond;
  scenario.load.path.latency = scenario.server.path.latency = kMillisecond;
  const std::uint64_t unbroken = exactly(scenario).answered;
  scenario.resets = {100 * kMillisecond};
  const Played played = exactly(scenario);
  CHECK(played.failed == 1);
  CHECK(played.counts->connected.get() == 11);
  // It loses the message under way, and one message's time to open.
  check_near(played.answered, unbroken - 2, 1);
}

// Ten connections whose server stands still from the start, so that none has had a reply.
Scenario unanswered(Scenario scenario, Nanoseconds length) {
  scenario.server.stalls = {stall_of(0, length)};
  scenario.plan.timeout = 30 * kSecond;
  return scenario;
}

TEST_CASE("with --reconnect a connection that broke without a reply is opened 100 ms later") {
  Scenario scenario = unanswered(closed_loop(), 150 * kMillisecond);
  scenario.plan.requests = 0;
  scenario.plan.duration = kSecond;
  scenario.plan.reconnect = true;
  scenario.load.path.latency = scenario.server.path.latency = kMillisecond;
  scenario.resets = {100 * kMillisecond};
  const Played played = exactly(scenario);
  CHECK(played.failed == 1);
  CHECK(played.counts->opened_again.get() == 1);
  // A message every 2 ms and a little, from the end of the stall on, or from 50 ms later.
  check_near(played.answered, 9 * 425 + 400, 30);
}

TEST_CASE("without --reconnect a connection that broke without a reply is gone with its plan") {
  Scenario scenario = unanswered(open_loop(), 6 * kSecond);
  scenario.plan.pipeline = 1'000;
  scenario.resets = {5 * kSecond};
  const Played played = exactly(scenario);
  CHECK(played.planned == 10'000);
  CHECK(played.counts->opened_again.get() == 0);
  check_near(played.sent, 9'500, 5);
}

// A server that closes a connection that was idle for half a second, at most an eighth of a second
// late.
Scenario closing_idle(Scenario scenario) {
  scenario.server.reactor.idle_timeout = 500 * kMillisecond;
  scenario.plan.timeout = 300 * kMillisecond;  // No message waits for longer, but all are idle so.
  return scenario;
}

TEST_CASE("a connection that was closed idle is opened again when its next message is due") {
  for (const Nanoseconds latency : {20 * kMicrosecond, 20 * kMillisecond}) {
    Scenario scenario = closing_idle(open_loop());
    scenario.plan.connections = 2;
    scenario.plan.rate_hz = 0.5;
    scenario.load.path.latency = scenario.server.path.latency = latency;
    const Played played = exactly(scenario);
    CHECK(played.answered == 10);
    CHECK(played.failed == 0);
    // Each has five messages, two seconds apart, and the first of the second comes after one.
    CHECK(played.counts->opened_again.get() == 4 + 5);
    CHECK(played.counts->closed_idle.get() >= 4 + 5);
    CHECK(played.counts->given_up_ns == 0);
    // The handshake takes as long as the message does, and is in its latency.
    const auto& response = played.counts->response;
    check_near(response.min(), 2 * latency, latency / 10);
    check_near(response.percentile(20), 4 * latency, latency / 10);
    check_near(response.max(), 4 * latency, latency / 10);
    CHECK(played.counts->overdue.get() == 0);
    CHECK(played.ended - played.started < 11 * kSecond);
  }
}

// Runs in which a message is due at any time around the end of an idle connection, and the FIN
// takes 20 ms; what came of all of them.
struct Crossed {
  std::uint64_t answered = 0, repeated = 0, untaken = 0;
  std::uint64_t reset = 0;  // The server closed them with the request unread.
};

Crossed cross_fins(const char* request, Answering answer) {
  Crossed all;
  for (Nanoseconds idle = 300 * kMillisecond; idle < 700 * kMillisecond; idle += kMillisecond) {
    Scenario scenario = closing_idle(open_loop());
    scenario.plan.rate_hz = 0.5;
    scenario.load.path.latency = scenario.server.path.latency = 20 * kMillisecond;
    scenario.server.reactor.idle_timeout = idle;
    if (answer) {
      scenario.exchange.custom = {.send = {request}, .reply = "resp"};
      scenario.answer = answer;
    }
    const Played played = exactly(scenario);
    CHECK(played.counts->given_up_ns == 0);
    CHECK(played.sent == 50);
    CHECK(played.counts->response.max() < 150 * kMillisecond);
    all.answered += played.answered;
    all.repeated += played.counts->repeated.get();
    for (const auto& [kind, count] : played.counts->errors.of_load()) {
      const bool untaken = kind == kUntaken;
      CHECK((untaken || kind == "Connection reset by peer"));
      (untaken ? all.untaken : all.reset) += count;
    }
  }
  CHECK(all.answered + all.untaken + all.reset == 400 * 50);
  CHECK(all.reset < 5);
  return all;
}

TEST_CASE("a read that met the end of an idle connection is sent once more") {
  const Crossed crossed = cross_fins("GET %{n}\n", answer_in_resp);
  CHECK(crossed.untaken == 0);
  CHECK(crossed.repeated > 80);
}

TEST_CASE(
    "what may not be repeated and met the end of an idle connection is an error of its name") {
  const Crossed crossed = cross_fins("SET %{n} 1\n", answer_in_resp);
  CHECK(crossed.untaken > 80);
  CHECK(crossed.repeated == 0);
  CHECK(cross_fins("", nullptr).untaken == crossed.untaken);  // Of an echo nobody knows.
}

TEST_CASE("a request that met two closed connections is an error") {
  Scenario scenario = closing_idle(open_loop());
  scenario.plan.rate_hz = 0.5;
  scenario.load.path.latency = scenario.server.path.latency = 20 * kMillisecond;
  scenario.server.reactor.idle_timeout = 5 * kMillisecond;  // Before any request can have come.
  scenario.exchange.custom = {.send = {"GET %{n}\n"}, .reply = "resp"};
  scenario.answer = answer_in_resp;
  const Played played = exactly(scenario);
  CHECK(played.sent == 10);
  CHECK(played.repeated == 10);
  CHECK(played.counts->errors.of_load().at(kUntaken) == 10);
  CHECK(played.failed == 10);
}

TEST_CASE("a connection that was closed before the load began is opened for its first message") {
  for (const bool open : {false, true}) {
    Scenario scenario = closing_idle(open ? open_loop() : closed_loop());
    scenario.plan.connect_rate_hz = 5;  // The first one waits for two seconds.
    const Played played = exactly(scenario);
    CHECK(played.answered == 10'000);
    CHECK(played.failed == 0);
    CHECK(played.counts->opened_again.get() >= 6);
    CHECK(played.counts->opened_again.get() <= 8);
  }
}

TEST_CASE("a load without connections gives up, and says how much of its time was left") {
  for (const bool open : {false, true}) {
    Scenario scenario = unanswered(open ? open_loop() : closed_loop(), 10 * kSecond);
    scenario.plan.requests = 0;
    scenario.plan.duration = kSecond;
    // One after the other, so that each has another connection to reset.
    for (Nanoseconds at = 310 * kMillisecond; at <= 400 * kMillisecond; at += 10 * kMillisecond)
      scenario.resets.push_back(at);
    const Played played = exactly(scenario);
    CHECK(played.failed == 10);
    check_near(played.counts->given_up_ns, 600 * kMillisecond, 2 * kMillisecond);
    scenario.resets.clear();
    scenario.server.stalls.clear();
    CHECK(exactly(scenario).counts->given_up_ns == 0);
  }
}

TEST_CASE("what waited for a connection that broke holds up nobody's end") {
  Scenario scenario = unanswered(open_loop(), 6 * kSecond);
  scenario.plan.pipeline = 1;
  scenario.resets = {5 * kSecond};
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

TEST_CASE("a slow last answer is told apart, and takes nothing from the rate of the asked time") {
  Scenario scenario = closed_loop();
  scenario.plan.connections = 20;
  scenario.plan.requests = 0;
  scenario.plan.duration = kSecond;
  scenario.plan.timeout = 30 * kSecond;
  scenario.load.path.latency = scenario.server.path.latency = 2 * kMillisecond;
  scenario.server.slow_readers = 0.05;
  scenario.server.slow_pause = 4 * kSecond;
  const Played played = exactly(scenario);
  CHECK(played.failed == 0);
  const std::uint64_t slow = played.counts->response.count_above(kSecond);
  CHECK(slow > 0);
  CHECK(slow < 5);
  // The others answer every 4 ms and a little, until the second is over.
  const std::uint64_t rate = played.counts->in_time.get();
  check_near(rate, (20 - slow) * 249, 20);
  CHECK(played.counts->drained.get() == 20);
  CHECK(played.answered == rate + 20);
  CHECK(played.ended - played.started > 3 * kSecond);
}

TEST_CASE("what a warm-up left under way and the asked time brings home is of its rate") {
  for (const bool open : {false, true}) {
    Scenario scenario = open ? open_loop() : closed_loop();
    scenario.plan.requests = 0;
    scenario.plan.duration = scenario.plan.warmup = kSecond;
    scenario.server.path.latency = 200 * kMillisecond;
    const Played played = exactly(scenario);
    check_near(played.counts->in_time.get(), open ? 1'000 : 50, open ? 2 : 10);
    check_near(played.counts->drained.get(), open ? 200 : 10, 1);
  }
}

TEST_CASE("a run with a rate lasts as long as it was asked to, however far apart its messages") {
  Scenario scenario = open_loop();
  scenario.plan.connections = 1;
  scenario.plan.rate_hz = 2;
  scenario.plan.duration = 3 * kSecond;
  scenario.plan.timeout = 100 * kMillisecond;
  Played played = exactly(scenario);
  CHECK(played.counts->in_time.get() == 6);
  CHECK(played.ended - played.started >= 3 * kSecond);
  scenario.plan.requests = 4;  // The last of them is due after 1.5 s.
  played = exactly(scenario);
  CHECK(played.counts->in_time.get() == 4);
  CHECK(played.ended - played.started < 1'600 * kMillisecond);
}

TEST_CASE("in the midst of a stall a load knows how long a message has waited") {
  for (const bool datagrams : {false, true}) {
    for (const bool open : {false, true}) {
      Scenario scenario = open ? open_loop() : closed_loop();
      scenario.datagrams = datagrams;
      scenario.plan.requests = 0;
      scenario.plan.duration = 10 * kSecond;
      scenario.plan.timeout = 20 * kSecond;
      scenario.load.path.latency = scenario.server.path.latency = 5 * kMillisecond;
      scenario.server.stalls = {stall_of(4 * kSecond, kSecond)};
      scenario.server.datagram_queue = 4096;  // All that comes in the stall.
      scenario.asks_oldest = 4'900 * kMillisecond;
      const auto in_stall = exactly(scenario);
      check_near(in_stall.counts->oldest_ns - in_stall.started, 4 * kSecond, 30 * kMillisecond);
      scenario.asks_oldest = 7 * kSecond;
      const auto later = exactly(scenario);
      check_near(later.counts->oldest_ns - later.started, 7 * kSecond, 30 * kMillisecond);
      scenario.asks_oldest = 9 * kSecond;
      scenario.plan.duration = 8 * kSecond;
      scenario.server.stalls = {stall_of(7'900 * kMillisecond, 2 * kSecond)};
      scenario.plan.connections = 1;
      const auto last = exactly(scenario);
      check_near(last.counts->oldest_ns - last.started, 7'900 * kMillisecond, 30 * kMillisecond);
    }
  }
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
  CHECK(played.counts->errors.of_load().begin()->first == "connect: Connection refused");
  CHECK(played.sent == 0);
}

TEST_CASE("a half-close by the server lets its answers come, and is told as its end") {
  Scenario scenario = closed_loop();
  scenario.plan.reconnect = true;
  scenario.half_closes = {5 * kMillisecond, 6 * kMillisecond};
  const Played played = exactly(scenario);
  CHECK(played.counts->errors.of_load().at(kUntaken) == 2);
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

TEST_CASE(
    "datagrams: one answer too many without an id shifts those behind it, and shows at the end") {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
    CAPTURE(seed);
    Scenario scenario = closed_loop();
    scenario.seed = seed;
    scenario.datagrams = true;
    scenario.exchange = {.custom = {.send = {"ping"}, .reply = "datagram"}};
    CHECK(exactly(scenario).counts->duplicated.get() == 0);
    scenario.server.path.duplication = 0.001;
    const Played played = exactly(scenario);
    CHECK(played.answered == 10'000);
    CHECK(played.counts->duplicated.get() > 0);
  }
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
  CHECK(played.counts->errors.of_load().begin()->first == kUnreachable);
  CHECK(played.ended - played.started < 200 * kMillisecond);
}

namespace {

// Requests of a text protocol and answers of many lengths, cut after any byte on their way.
Scenario spoken(Scenario scenario) {
  scenario.exchange = {
      .custom = {.send = {"GET %{n}\\r\\n", "SET %{conn} %{random:30}\\r\\n"}, .reply = "resp"}};
  scenario.answer = answer_in_resp;
  scenario.load.split = scenario.server.split = true;
  return scenario;
}

}  // namespace

TEST_CASE("the stall gate holds for a text protocol with pipelining, cut after any byte") {
  Scenario scenario = spoken(open_loop());
  scenario.server.stalls = {stall_of(4 * kSecond, kSecond)};
  const Played played = exactly(scenario);
  CHECK(played.answered == 10'000);
  const auto& response = played.counts->response;
  check_near(response.percentile(95), 500 * kMillisecond, 2 * kMillisecond);
  check_near(response.percentile(99), 900 * kMillisecond, 2 * kMillisecond);
  check_near(played.counts->least.percentile(99), 900 * kMillisecond, 2 * kMillisecond);
}

TEST_CASE("the mirror gate holds for a text protocol, too") {
  Scenario scenario = spoken(open_loop());
  scenario.load.stalls = {stall_of(4 * kSecond, kSecond)};
  const Played played = exactly(scenario);
  CHECK(played.answered == 10'000);
  check_near(played.counts->response.percentile(99), 900 * kMillisecond, 2 * kMillisecond);
  check_near(played.counts->lateness.percentile(99), 900 * kMillisecond, 2 * kMillisecond);
  CHECK(played.counts->least.max() < 2 * kMillisecond);
}

TEST_CASE("a text protocol keeps its pipeline, its churn and its connections in a closed loop") {
  Scenario scenario = spoken(closed_loop());
  scenario.plan.pipeline = 16;
  scenario.plan.churn = 100;
  scenario.plan.reconnect = true;
  scenario.resets = {kMillisecond, 2 * kMillisecond};
  const Played played = exactly(scenario);
  CHECK(played.failed >= 1);
  CHECK(played.answered > 9'900);
}

TEST_CASE("an answer to no request ends its connection at once, and is none of the next one's") {
  for (const bool twice : {false, true}) {
    Scenario scenario = spoken(closed_loop());
    scenario.answer = [twice](std::string_view request) {
      return answer_in_resp(request) + (twice && request.contains("0000000008") ? "+OK\r\n" : "");
    };
    const Played played = play(scenario);
    CHECK(played.failed == (twice ? 10 : 0));
    CHECK(played.counts->errors.of_load().size() == (twice ? 1 : 0));
    if (twice) CHECK(played.counts->errors.of_load().contains("bytes came that nothing asked for"));
  }
}
