// A trustworthy run is not doubted, and each reason for doubt and each note is found alone.
#include "report/verdict.h"

#include <doctest/doctest.h>

#include "sample_result.h"

using namespace wiremark::measure;
using namespace wiremark::report;

namespace {

// The one reason, or note, of a result; more or fewer fail.
std::string only_reason(const RunResult& result) {
  const Judgement judgement = judge(result);
  REQUIRE(judgement.reasons.size() == 1);
  CHECK(judgement.notes.empty());
  return judgement.reasons.front();
}

std::string only_note(const RunResult& result) {
  const Judgement judgement = judge(result);
  REQUIRE(judgement.notes.size() == 1);
  CHECK(judgement.reasons.empty());
  return judgement.notes.front();
}

bool is_good(const RunResult& result) {
  const Judgement judgement = judge(result);
  return judgement.reasons.empty() && judgement.notes.empty();
}

bool mentions(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a good run has no doubts") {
  RunResult result = sample_result();
  CHECK(is_good(result));
  pass_verdict(result);
  REQUIRE(result.verdict.has_value());
  CHECK(result.verdict->valid());
  CHECK(result.warnings.empty());
}

TEST_CASE("the verdict holds the reasons, and the warnings all, reasons first") {
  RunResult result = sample_result();
  result.machine = {95, 12, 3};
  result.warnings = {"what the tool itself has to say"};
  pass_verdict(result);
  CHECK_FALSE(result.verdict->valid());
  REQUIRE(result.verdict->reasons.size() == 1);
  REQUIRE(result.warnings.size() == 3);
  CHECK(result.warnings[0] == result.verdict->reasons[0]);
  CHECK(mentions(result.warnings[0], "steal"));
  CHECK(mentions(result.warnings[1], "the tool itself"));
  CHECK(mentions(result.warnings[2], "other processes"));
}

TEST_CASE("lost datagrams are weighed, and what else became of them is told") {
  RunResult result = sample_result();
  result.pacing.reset();
  result.outcome = Outcome{.planned = 200'000, .sent = 200'000, .answered = 198'000, .lost = 2'000};
  result.delivery.emplace();
  CHECK(mentions(only_note(result), "2,000 of the messages sent (1.00 %) were never answered"));
  result.outcome->lost = 2'001;
  CHECK(mentions(only_reason(result), "never answered in time"));
  result.outcome->lost = 1;
  CHECK(mentions(only_note(result), "%) was never answered"));
  result.outcome->lost = 0;
  result.delivery->reordered = 12;
  CHECK(mentions(only_note(result), "12 answers came behind"));
  result.delivery->reordered = 0;
  result.delivery->duplicated = 7;
  CHECK(mentions(only_note(result), "7 answers came more than once"));
  result.delivery->duplicated = 1;
  CHECK(mentions(only_note(result), "1 answer came more than once"));
  result.delivery->duplicated = 0;
  result.totals.datagrams = Datagrams{.dropped = 9};
  CHECK(mentions(only_note(result), "dropped 9 datagrams"));
}

TEST_CASE("with a plan the lost are judged once") {
  RunResult result = sample_result();
  result.delivery.emplace();
  result.outcome->lost = 10'000;
  CHECK(mentions(only_reason(result), "of the planned messages"));
}

TEST_CASE("a percentile that is the generator's own lateness is a reason, in the tail a note") {
  RunResult result = sample_result();
  Histogram latency, least;
  for (int i = 0; i < 100'000; ++i) {
    latency.record(i < 98'000 ? 300'000 : 7'000'000);
    least.record(300'000);
  }
  result.latency = summarize(latency, "schedule");
  result.least = summarize(least, "schedule");
  const Judgement judgement = judge(result);
  REQUIRE(judgement.reasons.size() == 1);
  CHECK(mentions(judgement.reasons[0], "own lateness: p99 7.00 ms instead of 300 us"));
  REQUIRE(judgement.notes.size() == 1);
  CHECK(mentions(judgement.notes[0], "own lateness: p99.9 7.00 ms instead of 300 us, p99.99 "));
  // A tenth of it may be its own, and what a timer takes.
  Histogram close;
  for (int i = 0; i < 100'000; ++i) close.record(i < 98'000 ? 200'100 : 6'400'000);
  result.least = summarize(close, "schedule");
  CHECK(is_good(result));
}

TEST_CASE("a generator that stood still in a closed loop has a rate of its own") {
  RunResult result = sample_result();
  result.pacing.reset();
  result.loop = Loop{.gap_max = wiremark::kSecond, .held_up_s = 1};  // Of 10.
  CHECK(is_good(result));
  result.loop->held_up_s = 1.01;
  CHECK(mentions(only_reason(result), "did not listen for 10.1 % of the time, 1.00 s at the longest"));
  result.cpu.threads = 2;
  CHECK(is_good(result));
}

TEST_CASE(
    "in a closed loop replies wait their turn, which is nobody's lateness but a held up loop's") {
  RunResult result = sample_result();
  result.pacing.reset();
  Histogram least;
  for (int i = 0; i < 200'000; ++i) least.record(1'000);
  Histogram latency;
  for (int i = 0; i < 200'000; ++i) latency.record(400'000);
  result.latency = summarize(latency, "send");
  result.least = summarize(least, "send");
  result.loop->held_up_s = 0.1;
  CHECK(is_good(result));
  result.loop->held_up_s = 0.11;
  CHECK(mentions(judge(result).reasons.at(0), "p50 400 us instead of 1.00 us"));
}

TEST_CASE("a server's run has doubts and no verdict") {
  RunResult result = sample_result();
  result.role = Role::server;
  result.machine.steal_pct = 3;
  pass_verdict(result);
  CHECK_FALSE(result.verdict.has_value());
  CHECK(result.warnings.size() == 1);
}

TEST_CASE("in a closed loop that fills the server too, the pair is what is measured") {
  RunResult result = sample_result();
  result.pacing.reset();
  result.cpu = {4, 5.5, 1};
  result.server_cpu = CpuShare{4, 5.2, 1};
  result.machine.busy_pct = 95;
  CHECK(mentions(only_note(result), "the pair"));
  result.server_cpu = CpuShare{4, 4.9, 1};
  CHECK(mentions(only_reason(result), "generator"));
  result.server_cpu = CpuShare{4, 5.2, 2};
  CHECK(mentions(only_reason(result), "generator"));
  result.server_cpu.reset();
  CHECK(mentions(only_reason(result), "generator"));
}

TEST_CASE("processors that moved during a run are told") {
  RunResult result = sample_result();
  result.core_distance = {62, 401};
  CHECK(mentions(only_note(result), "62 ns apart before and 401 ns after"));
  result.core_distance = {0, 401};
  CHECK(is_good(result));
  result.core_distance.reset();
  CHECK(is_good(result));
}

TEST_CASE("a busy generator is doubted, by its threads and the processors they may have") {
  RunResult result = sample_result();
  result.cpu = {4, 5, 1};
  CHECK(is_good(result));
  result.cpu = {4, 5.2, 1};
  CHECK(mentions(only_reason(result), "92.0 % busy"));
  result.cpu.threads = 2;
  CHECK(is_good(result));
  result.host.cores_allowed = 1;
  CHECK(mentions(only_reason(result), "generator"));
  CHECK(generator_was_limit(result));
  result.role = Role::server;
  CHECK(is_good(result));
}

TEST_CASE("a generator that spins is judged by its lateness") {
  RunResult result = sample_result();
  result.cpu = {4, 6, 1};
  result.spins = true;
  CHECK(is_good(result));
  CHECK_FALSE(generator_was_limit(result));
  result.pacing = Pacing{.behind = 3'000, .overdue = 3'000};
  CHECK(mentions(only_reason(result), "behind time by the generator"));
  CHECK(generator_was_limit(result));
  result.pacing.reset();
  CHECK(mentions(only_note(result), "spins"));
}

TEST_CASE("a plan missed by over one percent is doubted, by less it is a note") {
  RunResult result = sample_result();
  result.pacing = Pacing{.behind = 2'000, .overdue = 2'000};
  CHECK(mentions(only_note(result), "behind time by the generator"));
  result.pacing = Pacing{.behind = 2'001, .overdue = 2'001};
  CHECK(mentions(only_reason(result), "behind time by the generator"));
  result.pacing = Pacing{};
  result.outcome->sent = 197'999;
  result.outcome->unsent = 2'001;
  CHECK(mentions(only_reason(result), "never sent"));
  result.pacing.reset();
  CHECK(is_good(result));
}

TEST_CASE("a slow server that holds messages up does not invalidate its own latency") {
  RunResult result = sample_result();
  result.pacing->behind = 100'000;
  CHECK(mentions(only_note(result), "waited for the server"));
}

TEST_CASE("lost messages and errors are told, and weighed") {
  RunResult result = sample_result();
  result.outcome->lost = 1;
  CHECK(mentions(only_note(result), "never answered"));
  result.outcome->lost = 2'001;
  CHECK(mentions(only_reason(result), "never answered"));
  result.outcome->lost = 0;
  result.totals.errors = {{"timeout", 1}, {"reset", 0}};
  CHECK(only_reason(result) == "1 error (timeout 1)");
  result.totals.errors_allowed = 1;
  CHECK(only_note(result) == "1 error (timeout 1)");
}

TEST_CASE("work of others on the machine is told, when both ends are known") {
  RunResult result = sample_result();
  result.machine.busy_pct = 95;
  CHECK(mentions(only_note(result), "other processes took"));
  result.server_cpu.reset();
  CHECK(is_good(result));
}

TEST_CASE("stolen time is doubted") {
  RunResult result = sample_result();
  result.machine.steal_pct = 1;
  CHECK(is_good(result));
  result.machine.steal_pct = 1.5;
  CHECK(mentions(only_reason(result), "steal"));
}

TEST_CASE("p99 needs ten values beyond it, and the highest percentile is noted without") {
  RunResult result = sample_result();
  result.latency.percentiles = {{50, 1}, {99.9, 1}, {100, 1}};
  result.latency.count = 10'000;
  CHECK(is_good(result));
  result.latency.count = 9'600;  // 9.6 values, and what is printed is 10.
  CHECK(is_good(result));
  result.latency.count = 9'400;
  CHECK(mentions(only_note(result), "p99.9 rests on 9 of"));
  result.latency.count = 940;
  CHECK(mentions(only_reason(result), "p99 rests on 9 of"));
  result.latency.percentiles = {{100, 1}};
  CHECK(mentions(only_reason(result), "p99 rests on 9 of"));
  result.latency.count = 0;
  CHECK(only_reason(result) == "no message was measured");
}

TEST_CASE("clamped values and missing connections are told") {
  RunResult result = sample_result();
  result.latency.clamped = 2;
  CHECK(mentions(only_note(result), "over an hour"));
  result.latency.clamped = 0;
  result.totals.connections = 99;
  CHECK(only_reason(result) == "only 99 of 100 connections opened");
}

TEST_CASE("a build that is slower than a release is told, and does not invalidate") {
  RunResult result = sample_result();
  result.host.build->library_asserts = true;
  CHECK(mentions(only_note(result), "the standard library checks itself"));
  result.host.build->sanitizers = "thread";
  CHECK(judge(result).notes.size() == 2);
  result.host.build.reset();  // A document of before.
  CHECK(is_good(result));
}
