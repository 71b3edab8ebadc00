// A trustworthy run is not doubted, and each rule is found alone, with the figures it speaks
// against.
#include "report/verdict.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "report/text.h"
#include "sample_result.h"

using namespace wiremark;
using namespace wiremark::measure;
using namespace wiremark::report;

namespace {

constexpr const char* kAll = "rate p50 p90 p99 p99.9 p99.99 cost";
constexpr const char* kPercentileNames = "p50 p90 p99 p99.9 p99.99";

// The one doubt of a result, behind the figures that it speaks against; more or fewer fail.
std::string only_doubt(const RunResult& result) {
  const Judgement judgement = judge(result);
  REQUIRE(judgement.doubts.size() == 1);
  CHECK(judgement.notes.empty());
  const Doubt& doubt = judgement.doubts.front();
  return fmt::format("{}: {}", fmt::join(doubt.figures, " "), doubt.reason);
}

std::string only_note(const RunResult& result) {
  const Judgement judgement = judge(result);
  REQUIRE(judgement.notes.size() == 1);
  CHECK(judgement.doubts.empty());
  return judgement.notes.front();
}

bool is_good(const RunResult& result) {
  const Judgement judgement = judge(result);
  return judgement.doubts.empty() && judgement.notes.empty();
}

bool mentions(const std::string& text, std::string_view part) {
  const bool found = text.find(part) != std::string::npos;
  CHECK_MESSAGE(found, text, " lacks ", part);
  return found;
}

std::string against(const char* figures, const char* reason) {
  return fmt::format("{}: {}", figures, reason);
}

RunResult closed_loop() {
  RunResult result = sample_result();
  result.pacing.reset();
  return result;
}

// 200,000 messages, of which the last `slow` took 10 ms and the others 1 ms.
RunResult with_tail(RunResult result, std::uint64_t slow) {
  Histogram latency;
  latency.record_many(kMillisecond, 200'000 - slow);
  latency.record_many(10 * kMillisecond, slow);
  result.latency = summarize(latency, result.latency.from, kPercentiles, 0);
  result.least = result.latency;
  return result;
}

// As many of the 200,000 have no answer.
RunResult losing(RunResult result, std::uint64_t lost) {
  Histogram latency;
  latency.record_many(kMillisecond, 200'000 - lost);
  result.outcome->answered = 200'000 - lost;
  result.outcome->lost = lost;
  result.latency = summarize(latency, result.latency.from, kPercentiles, lost);
  result.least = summarize(latency, result.latency.from);
  return result;
}

// A generator with a plan worked for `cpu_s`, and was behind it by its own doing.
void spend(RunResult& result, double cpu_s, std::uint64_t overdue) {
  result.cpu.user_s = cpu_s;
  result.cpu.sys_s = 0;
  result.pacing = Pacing{.behind = overdue, .overdue = overdue};
}

}  // namespace

TEST_CASE("a good run has no doubts") {
  RunResult result = sample_result();
  CHECK(is_good(result));
  pass_verdict(result);
  REQUIRE(result.verdict.has_value());
  CHECK(result.verdict->valid());
  CHECK(result.verdict->level() == "VALID");
  CHECK(result.warnings.empty());
  CHECK(fmt::format("{}", fmt::join(result.verdict->valid_figures(), " ")) == kAll);
}

TEST_CASE("the verdict holds the reasons, and the warnings all, reasons first") {
  RunResult result = sample_result();
  result.machine.busy_pct = 95;
  result.totals.connections = 99;
  result.warnings = {"what the tool itself has to say"};
  pass_verdict(result);
  CHECK(result.verdict->level() == "INVALID");
  CHECK(result.verdict->valid_figures().empty());
  REQUIRE(result.verdict->reasons.size() == 1);
  REQUIRE(result.warnings.size() == 3);
  CHECK(result.warnings[0] == result.verdict->reasons[0]);
  CHECK(mentions(result.warnings[1], "the tool itself"));
  CHECK(mentions(result.warnings[2], "other processes"));
  CHECK(text_report(result).starts_with("INVALID: netload 0.1.0"));
  CHECK(mentions(text_report(result), "\n  only 99 of 100 connections opened\n"));
}

TEST_CASE("figures are valid by themselves, and the report says which and why not the others") {
  RunResult result = closed_loop();
  result.cpu = {4, 5.5, 1};
  pass_verdict(result);
  CHECK(result.verdict->level() == "VALID FOR");
  CHECK(result.verdict->valid_for(kCost));
  CHECK_FALSE(result.verdict->valid_for("p99"));
  CHECK_FALSE(result.verdict->valid_for("p1"));
  const std::string text = text_report(result, true);
  CHECK(text.starts_with("\033[1;33mVALID FOR cost:\033[0m netload"));
  CHECK(mentions(text, "  not rate, p50, p90, p99, p99.9, p99.99: the generator itself was 95"));
  const Verdict before{{"the generator was slow"}};  // Of a document that told none apart.
  CHECK(before.level() == "INVALID");
  CHECK_FALSE(before.valid_for(kCost));
}

TEST_CASE("a busy generator is doubted, by its threads and the processors they may have") {
  RunResult result = closed_loop();
  result.cpu = {4, 5, 1};
  CHECK(is_good(result));
  result.cpu = {4, 5.2, 1};
  CHECK(
      mentions(only_doubt(result), "rate p50 p90 p99 p99.9 p99.99: the generator itself was 92.0"));
  result.pacing.emplace();  // The rate is the plan's.
  CHECK(mentions(only_doubt(result), "p50 p90 p99 p99.9 p99.99: the generator itself was 92.0"));
  result.cpu.threads = 2;
  CHECK(is_good(result));
  result.host.cores_allowed = 1;
  CHECK(mentions(only_doubt(result), "generator"));
  CHECK(generator_was_limit(result));
  result.role = Role::server;
  CHECK(is_good(result));
}

TEST_CASE("in a closed loop that fills the server too, the pair is what is measured") {
  RunResult result = closed_loop();
  result.cpu = {4, 5.5, 1};
  result.server_cpu = CpuShare{4, 5.2, 1};
  result.machine.busy_pct = 95;
  CHECK(mentions(only_note(result), "the pair"));
  // With a plan the server's work is no reason for the generator to be full.
  result.pacing.emplace();
  CHECK(mentions(only_doubt(result), against(kPercentileNames, "the generator itself was 95")));
  result.pacing.reset();
  result.server_cpu = CpuShare{4, 4.9, 1};
  CHECK(mentions(only_doubt(result), "generator"));
  result.server_cpu = CpuShare{4, 5.2, 2};  // Half of what its two threads could.
  CHECK(mentions(only_doubt(result), "generator"));
  result.server_cpu = CpuShare{10, 8.4, 2};
  CHECK(mentions(only_note(result), "the pair"));
  result.server_cpu.reset();
  CHECK(mentions(only_doubt(result), "generator"));
}

TEST_CASE("a generator that spins is judged by its lateness") {
  RunResult result = sample_result();
  result.cpu = {4, 6, 1};
  result.spins = true;
  CHECK(is_good(result));
  CHECK_FALSE(generator_was_limit(result));
  result.pacing = Pacing{.behind = 3'000, .overdue = 3'000};
  CHECK(generator_was_limit(result));
  result.pacing.reset();
  CHECK(mentions(only_note(result), "spins"));
}

TEST_CASE("messages behind time doubt the percentiles that they can have moved") {
  RunResult result = with_tail(sample_result(), 2'500);
  result.pacing = Pacing{.behind = 499, .overdue = 499};
  CHECK(
      mentions(only_note(result), "behind time by the generator"));  // 0.25 %, and p99 begins at 1.
  result.pacing = Pacing{.behind = 520, .overdue = 520};  // Without them 0.99 % are slow.
  CHECK(mentions(only_doubt(result), "p99: 520 of the planned messages (0.26 %) were sent behind"));
  result = with_tail(sample_result(), 0);
  result.pacing = Pacing{.behind = 20'001, .overdue = 20'001};
  CHECK(mentions(only_doubt(result), "rate: 20,001 of the planned messages (10.0 %)"));
}

TEST_CASE("messages that were never sent count as later than any") {
  RunResult result = losing(sample_result(), 3'000);
  result.outcome =
      Outcome{.planned = 200'000, .sent = 197'000, .answered = 197'000, .unsent = 3'000};
  CHECK(mentions(only_doubt(result),
                 "p99 p99.9 p99.99: 3,000 of the planned messages (1.50 %) were "));
}

TEST_CASE("a slow server that holds messages up does not invalidate its own latency") {
  RunResult result = sample_result();
  result.pacing->behind = 100'000;
  CHECK(mentions(only_note(result), "waited for the server"));
}

TEST_CASE("lost messages take the percentiles that fall on them, and from a tenth on the cost") {
  CHECK(mentions(only_note(losing(sample_result(), 1)), "was never answered"));
  CHECK(mentions(only_doubt(losing(sample_result(), 1'900)), "p99.9 p99.99: 1,900 of the planned"));
  CHECK(mentions(only_doubt(losing(sample_result(), 2'100)), "p99 p99.9 p99.99: 2,100 of the "));
  CHECK(mentions(only_doubt(losing(sample_result(), 21'000)),
                 "p90 p99 p99.9 p99.99 cost: 21,000 of the planned messages (10.5 %)"));
}

TEST_CASE("connections that wait for lost datagrams ask for nothing else meanwhile") {
  RunResult result = losing(sample_of_datagrams(), 100);
  result.outcome->planned = result.outcome->sent = 200'000;
  result.delivery.emplace();
  result.delivery->lost_wait_s = 100;  // Of 100 connections for 10 s.
  result.totals.datagrams.reset();
  CHECK(mentions(only_doubt(result), "p99.99: 100 of the messages sent (0.05 %)"));
  result.delivery->lost_wait_s = 101;
  CHECK(mentions(only_doubt(result), "p99.99 rate: "));
  CHECK(mentions(only_doubt(result), "and connections waited 10.1 % of the time for them"));
}

TEST_CASE("what else became of datagrams is told") {
  RunResult result = closed_loop();
  result.delivery.emplace();
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

TEST_CASE("answers without an id that are too many, or too late, are of nobody knows what") {
  RunResult result = closed_loop();
  result.delivery.emplace();
  result.delivery->without_ids = true;
  CHECK(judge(result).doubts.empty());
  result.delivery->duplicated = 1;
  CHECK(judge(result).notes.empty());
  CHECK(mentions(only_doubt(result), "1 answer came beyond one for each message"));
  CHECK(judge(result).doubts.front().figures == judge(result).figures);
  result.delivery->duplicated = 0;
  result.outcome->lost = 1;
  REQUIRE(judge(result).doubts.size() == 1);
  CHECK(mentions(judge(result).doubts.front().reason,
                 "given up may have counted as that to the next"));
  CHECK(fmt::format("{}", fmt::join(judge(result).doubts.front().figures, " ")) ==
        kPercentileNames);
  result.delivery->without_ids = false;
  CHECK(judge(result).doubts.empty());
}

TEST_CASE("a percentile that is the generator's own lateness is doubted, and no other one") {
  RunResult result = sample_result();
  Histogram latency, least;
  for (int i = 0; i < 100'000; ++i) {
    latency.record(i < 98'000 ? 300'000 : 7'000'000);
    least.record(300'000);
  }
  result.latency = summarize(latency, "schedule");
  result.least = summarize(least, "schedule");
  CHECK(
      mentions(only_doubt(result),
               "p99 p99.9 p99.99: by the generator's own lateness: p99 7.00 ms instead of 300 us"));
  // A tenth of it may be its own, and what a timer takes.
  Histogram close;
  for (int i = 0; i < 100'000; ++i) close.record(i < 98'000 ? 200'100 : 6'400'000);
  result.least = summarize(close, "schedule");
  CHECK(is_good(result));
}

TEST_CASE("a percentile of all messages is not held against that of the answered") {
  for (RunResult result : {sample_result(), closed_loop()}) {
    // The p90 of all is the 180,000th, which is slow, and that of the answered is not.
    Histogram latency;
    latency.record_many(kMillisecond, 178'000);
    latency.record_many(10 * kMillisecond, 12'000);
    result.outcome->answered = 190'000;
    result.outcome->lost = 10'000;
    result.latency = summarize(latency, result.latency.from, kPercentiles, 10'000);
    result.least = summarize(latency, result.latency.from);
    CHECK(mentions(only_doubt(result), "p99 p99.9 p99.99: 10,000 of the "));
    CHECK(mentions(only_doubt(result), "never answered in time"));
  }
}

TEST_CASE("a generator that stood still in a closed loop has a rate of its own") {
  RunResult result = closed_loop();
  result.loop = Loop{.gap_max = kSecond, .held_up_s = 1};  // Of 10.
  CHECK(is_good(result));
  result.loop->held_up_s = 1.01;
  CHECK(
      mentions(only_doubt(result),
               "rate: the generator did not listen for 10.1 % of the time, 1.00 s at the longest"));
  result.cpu.threads = 2;
  CHECK(is_good(result));
  // The rate of a plan is that of the plan.
  result.cpu.threads = 1;
  result.pacing.emplace();
  result.least.reset();
  CHECK(is_good(result));
}

TEST_CASE("a server of ours that stood still is not what was measured, and one that worked is") {
  RunResult result = with_tail(closed_loop(), 2'050);
  result.server_loop = ServerLoop{.gap_max = kSecond, .held_up_s = 9, .away_s = 0.001};
  CHECK(is_good(result));
  result.server_loop->away_s = 0.0014;  // Twice that is 0.028 %: what makes the p99.
  CHECK(mentions(only_doubt(result), "p99: the server stood still for 0.01 % of the time"));
  result.server_loop->away_s = 1.01;
  CHECK(mentions(only_doubt(result),
                 "rate p99 p99.9 p99.99: the server stood still for 10.1 % of the time, 1.00 s at "
                 "the longest"));
  result.server_cpu->threads = 2;
  CHECK(mentions(only_doubt(result), "p99 p99.9 p99.99: the server stood still for 5.0"));
  // The rate of a plan is that of the plan.
  result = with_tail(sample_result(), 0);
  result.server_loop->away_s = 2;
  CHECK(mentions(only_note(result), "the server stood still for 20.0 % of the time"));
}

TEST_CASE("a percentile that the machine made longer is no limit of the server") {
  const std::vector<std::string> p99 = {"p99"};
  const RunResult result = with_tail(sample_result(), 2'050);
  CHECK_FALSE(machine_was_limit(result, p99));
  RunResult stood = result;
  stood.server_loop->away_s = 0.01;
  CHECK(machine_was_limit(stood, p99));
  CHECK_FALSE(machine_was_limit(stood, {"p50"}));
  RunResult waited = result;
  waited.server_wait = ProcessorWait{.run_delay_s = 0.1, .slices = 10};
  CHECK(machine_was_limit(waited, p99));
  RunResult stolen = result;
  stolen.machine.steal_pct = 1;
  CHECK(machine_was_limit(stolen, p99));
  // Lost messages are not the machine's doing.
  RunResult lost = result;
  lost.outcome->lost = 5'000;
  CHECK_FALSE(machine_was_limit(lost, p99));
}

TEST_CASE("a run that gave up before its end is no run") {
  RunResult result = closed_loop();
  result.loop->given_up_s = 7.3;
  CHECK(mentions(only_doubt(result), against(kAll, "the run was given up 7.30 s before its end")));
}

TEST_CASE(
    "in a closed loop replies wait their turn, which is nobody's lateness but a held up loop's") {
  RunResult result = closed_loop();
  Histogram least, latency;
  least.record_many(1'000, 200'000);
  latency.record_many(400'000, 200'000);
  result.latency = summarize(latency, "send");
  result.least = summarize(least, "send");
  result.loop->held_up_s = 0.1;
  CHECK(is_good(result));
  result.loop->held_up_s = 0.11;
  CHECK(mentions(only_doubt(result), "p50 400 us instead of 1.00 us"));
}

TEST_CASE("a stall costs a closed loop few answers, and is known by the time that they took") {
  RunResult result = closed_loop();
  Histogram latency;
  latency.record_many(300 * kMicrosecond, 199'990);  // 60 s of waiting.
  latency.record_many(600 * kMillisecond, 9);        // 5.4 s
  result.latency = summarize(latency, "send");
  result.least.reset();
  CHECK(is_good(result));
  latency.record_many(2 * kSecond, 1);  // 11 % in all.
  result.latency = summarize(latency, "send");
  CHECK(mentions(only_doubt(result), against(kPercentileNames, "connections waited 11.0 %")));
  CHECK(mentions(only_doubt(result), "beyond p99.99, up to 2.00 s: a closed loop does not show"));
  result.pacing.emplace();
  CHECK(is_good(result));
  result.pacing.reset();
  result.role = Role::server;  // Nobody's connections wait there for answers.
  CHECK(is_good(result));
}

TEST_CASE("an end that is ready and has no processor stands still") {
  for (const bool server : {false, true}) {
    RunResult result = with_tail(closed_loop(), 2'050);
    auto& wait = server ? result.server_wait : result.wait;
    // Each of its 100,000 wakes takes up to 5 us anywhere.
    wait = ProcessorWait{.run_delay_s = 0.5, .slices = 100'000};
    CHECK(is_good(result));
    wait->run_delay_s = 0.501;  // 0.01 % of the time, and as much to catch up.
    CHECK(is_good(result));
    wait->run_delay_s = 0.502;
    const std::string who = server ? "server" : "generator";
    CHECK(mentions(only_doubt(result),
                   "p99: the " + who + " was ready and had no processor for 0.02"));
    wait->run_delay_s = 1.52;
    CHECK(mentions(only_doubt(result),
                   "rate p99 p99.9 p99.99: the " + who + " was ready and had no processor for "));
    (server ? result.server_cpu->threads : result.cpu.threads) = 2;
    CHECK(mentions(only_doubt(result), "p99 p99.9 p99.99: the " + who));
    // The rate of a plan is that of the plan.
    result = with_tail(sample_result(), 0);
    (server ? result.server_wait : result.wait) = ProcessorWait{.run_delay_s = 2, .slices = 10};
    CHECK(mentions(only_note(result), "had no processor for 20.0 % of the time"));
  }
}

TEST_CASE("what was spent and waited is a share of the time between the looks at it") {
  CpuShare share{.user_s = 4, .sys_s = 1};
  CHECK(share.pct(10) == 50);
  CHECK(share.waited_pct(5, 10) == 50);
  CHECK(share.waited_pct(500, 10) == 100);
  CHECK(share.waited_pct(-1, 10) == 0);
  CHECK(share.waited_pct(5, 0) == 0);
  share.threads = 4;
  CHECK(share.waited_pct(5, 10) == 12.5);
  share.seconds = 100;
  CHECK(share.pct(10) == 5);
  CHECK(share.waited_pct(5, 10) == 1.25);
  // A message in a millisecond, of ten in which the generator worked for two and had no processor
  // for six.
  RunResult result = closed_loop();
  result.totals.seconds = 0.001;
  result.cpu = {.user_s = 0.002, .seconds = 0.01};
  result.wait = ProcessorWait{.run_delay_s = 0.006, .slices = 1};
  const std::string text = text_report(result);
  CHECK(mentions(text, "20.0 %"));
  CHECK(mentions(text, "run delay   netload 60.0 %, server"));
  CHECK_FALSE(generator_was_limit(result));
}

TEST_CASE("a generator whose cgroup used its quota up was throttled, by name") {
  RunResult result = with_tail(closed_loop(), 2'050);
  result.wait =
      ProcessorWait{.run_delay_s = 1, .slices = 10, .throttled = Throttled{"/docker/7f", 12, 0.9}};
  CHECK(mentions(judge(result).doubts.at(0).reason,
                 "the generator was throttled by its cgroup /docker/7f 12 times for 900 ms "
                 "(nr_throttled 12, throttled_usec 900000)"));
  CHECK(judge(result).doubts.at(0).figures == std::vector<std::string>{"p99", "p99.9", "p99.99"});
  result.wait->run_delay_s = 1.2;
  result.wait->throttled->seconds = 1.1;
  CHECK(judge(result).doubts.at(0).figures ==
        std::vector<std::string>{kRate, "p99", "p99.9", "p99.99"});
  // What it waited in the quota's name is not told twice.
  result.wait->run_delay_s = 1.1;
  CHECK(mentions(only_doubt(result), "throttled"));
}

TEST_CASE("a server is measured under a quota of its own, and not under the generator's") {
  RunResult result = with_tail(closed_loop(), 2'050);
  result.server_wait =
      ProcessorWait{.run_delay_s = 1, .slices = 10, .throttled = Throttled{"/app", 12, 1}};
  CHECK(mentions(only_note(result), "the server was throttled by its cgroup /app 12 times"));
  result.wait->throttled = Throttled{"/app", 0, 0};
  CHECK(mentions(only_doubt(result),
                 "p99 p99.9 p99.99: the server was throttled by its cgroup /app"));
}

TEST_CASE("a server's run has doubts and no verdict") {
  RunResult result = with_tail(sample_result(), 2'050);
  result.role = Role::server;
  result.machine.steal_pct = 3;
  pass_verdict(result);
  CHECK_FALSE(result.verdict.has_value());
  CHECK(result.warnings.size() == 1);
}

TEST_CASE("processors that moved during a run are told, and far apart they doubt all") {
  RunResult result = sample_result();
  result.core_distance = {62, 185};
  CHECK(mentions(only_note(result), "62 ns apart before and 185 ns after"));
  result.core_distance = {401, 62};
  CHECK(mentions(only_doubt(result), against(kAll, "the processors were 401 ns apart before")));
  result.core_distance = {0, 401};
  CHECK(is_good(result));
  result.core_distance.reset();
  CHECK(is_good(result));
}

TEST_CASE("errors and wrong replies are no load that was asked for") {
  RunResult result = sample_result();
  result.totals.errors = {{"timeout", 1}, {"reset", 0}};
  CHECK(only_doubt(result) == against(kAll, "1 error (timeout 1)"));
  result.totals.errors_allowed = 1;
  CHECK(only_note(result) == "1 error (timeout 1)");
  result.totals.errors.clear();
  result.checks = {{"slo p99<1ms", false, "2 ms"}, {"verify", false, "byte 3 differs"}};
  CHECK(only_doubt(result) == against(kAll, "a reply was not what had to come: byte 3 differs"));
}

TEST_CASE("a run without one success is told, unless it was wanted") {
  RunResult result = sample_result();
  result.answers = {{"302", 2'000}, {"404", 5}};
  CHECK(only_note(result) ==
        "no answer had a status of 2xx (302 2,000, 404 5): --expect-status names those that are "
        "wanted");
  result.config.emplace_back("expect-status", "302");
  CHECK(is_good(result));
  result.config.pop_back();
  result.answers->push_back({"204", 1});
  CHECK(is_good(result));
  result.answers->clear();
  CHECK(is_good(result));
}

TEST_CASE("a generator was the limit where it was busy, or sent late by its own doing") {
  RunResult result = sample_result();
  const auto limit_when = [&](double cpu_s, std::uint64_t overdue) {
    spend(result, cpu_s, overdue);
    return generator_was_limit(result);
  };
  CHECK_FALSE(limit_when(9, 2'000));  // Of 10 s, and of 200,000 messages.
  CHECK(limit_when(9.01, 0));
  CHECK(limit_when(0, 2'001));
  // Of what was sent, however much more was planned.
  result.outcome = remade({.planned = 200'000'000, .sent = 430'800, .answered = 430'800});
  CHECK(limit_when(0, 430'800));
  CHECK_FALSE(limit_when(0, 4'308));
  result.spins = true;
  CHECK_FALSE(limit_when(9.01, 0));
  result.pacing.reset();
  CHECK_FALSE(generator_was_limit(result));
}

// What the machine had for others, or stopped, is nothing that more generators would mend.
TEST_CASE("a generator was full where its own work filled its processors") {
  RunResult result = sample_result();
  const auto full_when = [&](double cpu_s, std::uint64_t overdue) {
    spend(result, cpu_s, overdue);
    return generator_was_full(result);
  };
  CHECK_FALSE(full_when(0.5, 100'000));  // Of 10 s, and of 200,000 messages.
  CHECK_FALSE(full_when(9, 100'000));
  CHECK(full_when(9.01, 0));
  result.cpu.threads = 2;
  CHECK_FALSE(full_when(9.01, 0));
  result.host.cores_allowed = 1;
  CHECK(full_when(9.01, 0));
  // One that spins fills them always. Off its processor for 5 % of the time, it catches up in as
  // much again.
  result.spins = true;
  CHECK_FALSE(full_when(10, 2'000));
  CHECK(full_when(10, 2'001));
  CHECK_FALSE(full_when(9.5, 22'000));
  CHECK(full_when(9.5, 22'001));
  CHECK_FALSE(full_when(5, 200'000));
  result.pacing.reset();
  CHECK_FALSE(generator_was_full(result));
}

// The sample has 400,100 segments with data in 10 s.
TEST_CASE("clients that load the server too speak against what is measured of it") {
  RunResult result = sample_result();
  result.other_clients = OtherClients{.connections = 20, .segments = 0, .seconds = 12};
  CHECK(is_good(result));
  result.other_clients->segments = 4'000;
  CHECK(is_good(result));
  result.other_clients->segments = 40'000;
  CHECK(mentions(only_note(result), "7.69 % of its segments with data were those of 20 other"));
  result.other_clients->segments = 480'000;
  constexpr const char* kHalf =
      "other clients loaded the server too: 50.0 % of its segments with data were those of 20 "
      "other connections, and its time and answers are for them as well";
  CHECK(only_doubt(result) == against("p50 p90 p99 p99.9 p99.99 cost", kHalf));
  result.pacing.reset();
  CHECK(only_doubt(result) == against(kAll, kHalf));
  result.other_clients = OtherClients{.connections = 20, .ended = 1, .segments = 0, .seconds = 12};
  CHECK(mentions(only_doubt(result), against("cost", "1 other connection to the server ended")));
  result.other_clients = OtherClients{.connections = 2, .segments = std::nullopt, .seconds = 12};
  CHECK(mentions(only_doubt(result), against("cost", "the server had 2 other connections too")));
  result.other_clients->connections = 0;
  CHECK(is_good(result));
  result.other_clients->segments = 4'000;
  CHECK(is_good(result));
  result.other_clients->segments = 480'000;
  CHECK(mentions(only_doubt(result), against("cost", "50.0 % of the datagrams in this network")));
}

TEST_CASE("work of others on the machine is told, when both ends are known") {
  RunResult result = sample_result();
  result.machine.busy_pct = 95;
  CHECK(mentions(only_note(result), "other processes took"));
  const double seconds = result.totals.seconds;
  const double ours = result.cpu.pct(seconds) + result.server_cpu->pct(seconds);
  const auto others = [&](double pct) {
    result.machine.busy_pct = (ours + pct) / result.host.cores_online;
    return result;
  };
  CHECK(is_good(others(19)));
  CHECK(mentions(only_note(others(21)), "other processes took 21.0 % of a core"));
  result.machine.busy_pct = 95;
  result.server_cpu.reset();
  result.server_wait.reset();
  CHECK(is_good(result));
}

TEST_CASE("stolen time is doubted by its share of what was wanted") {
  RunResult result = with_tail(closed_loop(), 2'050);
  result.machine = {.busy_pct = 19.998, .softirq_pct = 0, .steal_pct = 0.002};
  CHECK(is_good(result));
  result.machine.steal_pct = 0.1;
  CHECK(mentions(only_doubt(result), "p99 p99.9: the hypervisor took 0.10 %"));
  CHECK(mentions(only_doubt(result), "(steal), 0.50 % of what was wanted"));
  result.machine.steal_pct = 2.3;
  CHECK(mentions(only_doubt(result), "rate p99 p99.9 p99.99: the hypervisor"));
  result = with_tail(sample_result(), 0);
  result.machine.steal_pct = 2;
  CHECK(mentions(only_note(result), "the hypervisor took 2.00 %"));
}

TEST_CASE("a percentile needs ten values beyond it, and rate and cost a hundred messages") {
  RunResult result = sample_result();
  result.latency.percentiles = {{50, 1}, {99, 1}, {99.9, 1}, {100, 1}};
  result.latency.count = 10'000;
  CHECK(is_good(result));
  result.latency.count = 9'600;  // 9.6 values, and what is printed is 10.
  CHECK(is_good(result));
  result.latency.count = 9'400;
  CHECK(mentions(only_doubt(result), "p99.9: p99.9 rests on 9 of 9,400 values"));
  result.latency.count = 940;
  CHECK(mentions(only_doubt(result), "p99 p99.9: p99 rests on 9 of"));
  result.latency.percentiles = {{50, 1}, {100, 1}};
  result.least.reset();
  CHECK(is_good(result));
  result.totals.messages = 99;
  CHECK(mentions(only_doubt(result), "rate cost: rate and cost rest on 99 messages"));
  result.totals.messages = 100;
  result.latency.count = 0;
  CHECK(only_doubt(result) == "rate p50 cost: no message was measured");
}

TEST_CASE("messages without an answer are values beyond a percentile too") {
  Histogram latency;
  latency.record_many(kMillisecond, 90);
  RunResult result = sample_result();
  result.latency = summarize(latency, "schedule", std::vector<double>{90}, 9);
  result.least.reset();
  CHECK(is_good(result));  // Ten of 99; of 90 it were nine.
}

TEST_CASE("clamped values and missing connections are told") {
  RunResult result = sample_result();
  result.latency.clamped = 2;
  CHECK(mentions(only_note(result), "over an hour"));
  result.latency.clamped = 0;
  result.totals.connections = 99;
  CHECK(only_doubt(result) == against(kAll, "only 99 of 100 connections opened"));
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
