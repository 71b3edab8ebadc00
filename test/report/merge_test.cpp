// Results read back are the same, and added up nothing is lost.
#include "report/merge.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "report/json.h"
#include "report/text.h"
#include "report/verdict.h"
#include "sample_result.h"

using namespace wiremark;
using namespace wiremark::measure;
using namespace wiremark::report;

namespace {

RunResult judged_sample() {
  RunResult result = sample_result();
  result.machine.steal_pct = 2;
  pass_verdict(result);
  return result;
}

// A run of other values, which overlap those of the sample in part.
RunResult other_sample() {
  RunResult result = sample_result();
  Histogram latency;
  for (Nanoseconds us = 1; us <= 30'000; ++us) latency.record(90'000 + 7 * us);
  result.latency = summarize(latency, "schedule");
  result.totals.messages = 30'000;
  result.totals.seconds = 4;
  result.totals.errors = {{"timeout", 2}, {"reset", 1}};
  result.answers = {{"302", 3}, {"200", 2}};
  result.outcome = Outcome{30'004, 30'001, 30'000, 1, 1, 3};
  result.pacing = Pacing{5, 3};
  result.config = {{"connections", "100"}, {"rate", "75"}};
  result.started = "2026-11-21T02:18:24Z";
  return result;
}

void check_fails(const Result<RunResult>& result, const char* part) {
  REQUIRE_FALSE(result.has_value());
  CAPTURE(result.error().message());
  CHECK(result.error().message().find(part) != std::string::npos);
}

// The runs one after the other, a second apart.
Result<RunResult> in_turn_of(std::span<const RunResult> runs) {
  std::vector<RunResult> apart(runs.begin(), runs.end());
  double at = 1e9;
  for (RunResult& run : apart) {
    run.measured_from = at;
    at += run.totals.seconds + 1;
  }
  return merge(apart, Order::in_turn);
}

// It spent so much on so many processors, and its server next to nothing.
RunResult on_cores(unsigned cores, double spent_s) {
  RunResult run = sample_result();
  run.other_clients.reset();
  run.host.cores_allowed = run.host.cores_online = cores;
  run.cpu = {0, spent_s, cores};
  run.server_cpu = CpuShare{0, 0.01, 1};
  pass_verdict(run);
  return run;
}

std::string with(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a document is read back as it was written, to the last byte") {
  RunResult bare;
  bare.role = Role::server;
  bare.started = "2026-11-21T02:18:25Z";
  for (const RunResult& result : {judged_sample(), sample_result(), sample_of_datagrams(), bare}) {
    const std::string text = json_document(result);
    const auto read = parse_result(text);
    REQUIRE(read.has_value());
    CHECK(json_document(*read) == text);
  }
}

TEST_CASE("what is no whole result is refused, with the reason") {
  const std::string text = json_document(judged_sample());
  check_fails(parse_result(""), "no JSON");
  check_fails(parse_result("[1]"), "no JSON document");
  check_fails(parse_result(text.substr(0, text.size() / 2)), "no JSON");
  check_fails(parse_result("{}"), "its schema is ''");
  check_fails(parse_result(R"({"schema": 7})"), "its schema is ''");
  check_fails(parse_result(R"({"schema": "wiremark.result/3"})"), "/tool is missing");
  check_fails(parse_result(with(text, "result/3", "result/9")),
              "its schema is 'wiremark.result/9', and this reads wiremark.result/1, ");
  const std::string deep(1'000'000, '[');
  // What lies too deep to be a result is skipped while it is read.
  const std::string nested = "\"x\": " + deep + std::string(deep.size(), ']') + ", \"schema\"";
  check_fails(parse_result(with(text, "\"schema\"", nested)), "/x is an array of 1");
  check_fails(parse_result(deep), "no JSON document");
}

TEST_CASE("histograms are added bucket by bucket") {
  const RunResult runs[] = {sample_result(), other_sample()};
  const auto all = merge(runs, Order::at_once);
  REQUIRE(all.has_value());
  Histogram together = *restore(runs[0].latency);
  together.merge(*restore(runs[1].latency));
  CHECK(all->latency.buckets == summarize(together, "").buckets);
  CHECK(all->latency.count == 230'000);
  CHECK(all->latency.min == together.min());
  CHECK(all->latency.max == together.max());
  for (const auto& [percent, ns] : all->latency.percentiles)
    CHECK(ns == together.percentile(percent));
  CHECK(all->latency.from == "schedule");
  CHECK(all->lateness->count == 400'000);
}

TEST_CASE("counts, outcomes, errors and processor time are added") {
  const RunResult runs[] = {sample_result(), other_sample()};
  const auto all = merge(runs, Order::at_once);
  REQUIRE(all.has_value());
  CHECK(all->totals.messages == 230'000);
  CHECK(all->totals.connections == 200);
  CHECK(all->totals.packets->in == 780'000);
  CHECK(all->totals.errors == KindCounts{{"timeout", 2}, {"reset", 1}});
  CHECK(*all->answers == KindCounts{{"200", 199'002}, {"404", 1'000}, {"302", 3}});
  CHECK(all->outcome->planned == 230'004);
  CHECK(all->outcome->sent == 230'001);
  CHECK(all->outcome->answered == 230'000);
  CHECK(all->outcome->lost == 1);
  CHECK(all->outcome->late == 1);
  CHECK(all->outcome->unsent == 3);
  CHECK(all->pacing->behind == 17);
  CHECK(all->pacing->overdue == 3);
  CHECK(all->cpu.user_s == doctest::Approx(2.5));
  CHECK(all->cpu.threads == 2);
  CHECK(all->started == "2026-11-21T02:18:24Z");
  CHECK(all->config == std::vector<std::pair<std::string, std::string>>{{"connections", "100"},
                                                                        {"rate", "200, 75"}});
  CHECK(all->intervals.front().messages == 40'000);
  CHECK_FALSE(all->stages.has_value());         // Their backlogs are kept without buckets.
  CHECK_FALSE(all->core_distance.has_value());  // It was measured around one run.
}

TEST_CASE("a sum tells 256 kinds of errors apart, and loses none of the others") {
  std::vector<RunResult> runs(3, sample_result());
  for (std::size_t run = 0; run < runs.size(); ++run) {
    KindCounts& errors = runs[run].totals.errors;
    errors = {{"timeout", 5}};
    for (std::size_t i = 0; i < 150; ++i)
      errors.emplace_back("RESP -E" + std::to_string(150 * run + i), 2);
    if (run > 0) errors.emplace_back(kOtherErrors, 1'000);
  }
  const auto all = merge(runs, Order::at_once);
  REQUIRE(all);
  const KindCounts& errors = all->totals.errors;
  CHECK(errors.size() == 256 + 1);
  CHECK(errors.front() == KindCounts::value_type("timeout", 15));
  CHECK(errors.back().first == kOtherErrors);
  CHECK(all->totals.errors_sum() == 15 + 3 * 150 * 2 + 2 * 1'000);
}

TEST_CASE("runs at once against one server are no other clients of it to each other") {
  std::vector<RunResult> runs(3, sample_result());
  for (RunResult& run : runs) {
    run.config.emplace_back("target", "one:7007");
    run.other_clients =
        OtherClients{.connections = 2 * run.totals.connections, .segments = 800'000, .seconds = 10};
  }
  const auto says_so = [&] {
    const RunResult all = merge(runs, Order::at_once).value();
    return std::ranges::any_of(all.warnings, [](const std::string& text) {
      return text.contains("other clients loaded the server");
    });
  };
  CHECK_FALSE(says_so());
  runs[1].other_clients->connections += 1;
  CHECK(says_so());
  runs[1].other_clients->connections -= 1;
  runs[2].config.back().second = "two:7007";
  CHECK(says_so());
}

TEST_CASE("time is the longest at once and the sum in turn, and so is what one server spent") {
  const RunResult runs[] = {sample_result(), other_sample()};
  const auto at_once = merge(runs, Order::at_once);
  const auto in_turn = in_turn_of(runs);
  REQUIRE((at_once && in_turn));
  CHECK(at_once->totals.seconds == 10);
  CHECK(in_turn->totals.seconds == 14);
  CHECK(at_once->server_cpu->total_s() == doctest::Approx(2));
  CHECK(in_turn->server_cpu->total_s() == doctest::Approx(4));
  CHECK(at_once->cpu.threads == 2);
  CHECK(in_turn->cpu.threads == 1);
  CHECK(at_once->rss_bytes == 12'000'000);
  CHECK(in_turn->rss_bytes == 6'000'000);
}

TEST_CASE("the shares of a machine stay within 100, however the mean is rounded") {
  RunResult runs[] = {sample_result(), sample_result(), sample_result()};
  for (const double seconds : {0.3, 0.29, 0.2999999, 0.31, 0.7, 1.1}) {
    for (RunResult& run : runs) {
      run.machine.busy_pct = 100;
      run.totals.seconds = seconds;
    }
    runs[1].totals.seconds = 0.1;
    CHECK(in_turn_of(runs)->machine.busy_pct <= 100);
    CHECK(in_turn_of(runs)->machine.busy_pct > 99.9);
  }
}

TEST_CASE("servers of their own are added, and one that not all saw is left out") {
  RunResult runs[] = {sample_result(), other_sample()};
  runs[0].config.emplace_back("target", "one:7007");
  runs[1].config.emplace_back("target", "two:7007");
  CHECK(merge(runs, Order::at_once)->server_cpu->total_s() == doctest::Approx(4));
  CHECK(merge(runs, Order::at_once)->server_rss_bytes == 8'000'000);
  runs[1].server_cpu.reset();
  CHECK_FALSE(merge(runs, Order::at_once)->server_cpu.has_value());
}

TEST_CASE("what one run alone says of its end, or of no limit, is kept") {
  RunResult runs[] = {sample_result(), other_sample()};
  runs[1].loop->given_up_s = 0.5;
  for (RunResult& run : runs) run.host.nofile_hard = kUnlimited;
  const auto all = merge(runs, Order::at_once);
  CHECK(all->loop->given_up_s == 0.5);
  CHECK(all->host.nofile_hard == kUnlimited);
}

TEST_CASE("what differs in words is joined, each once") {
  RunResult runs[] = {sample_result(), other_sample(), sample_result()};
  runs[1].path.active = "epoll";
  runs[2].path.active = "epoll";
  runs[1].server = "netecho (pid 8)";
  const auto all = merge(runs, Order::at_once);
  CHECK(all->path.active == runs[0].path.active + ", epoll");
  CHECK(all->server == *runs[0].server + ", netecho (pid 8)");
}

TEST_CASE("a check that failed once has failed") {
  RunResult runs[] = {sample_result(), other_sample(), sample_result()};
  runs[1].checks = {{"verify", false, "a reply differed"}, {"slo p99<2ms", true, "1 ms"}};
  const auto all = merge(runs, Order::at_once);
  REQUIRE(all->checks.size() == 2);
  CHECK_FALSE(all->checks[0].passed);
  CHECK(all->checks[0].detail == "a reply differed");
  CHECK(all->checks[1].passed);
}

TEST_CASE("the sum is judged, and so is each part, but not for being short") {
  RunResult runs[] = {sample_result(), sample_result(), sample_result()};
  Histogram few;
  few.record_many(50'000, 600);
  for (RunResult& run : runs) {
    run.latency = summarize(few, "schedule");
    run.outcome.reset();
    pass_verdict(run);
    CHECK_FALSE(run.verdict->valid());
  }
  CHECK(in_turn_of(runs)->verdict->valid_for("p99"));
  runs[1].cpu = {4, 5.9, 1};
  const auto all = merge(runs, Order::at_once);
  REQUIRE(all->verdict->reasons.size() == 2);
  CHECK(all->verdict->reasons[0].starts_with("p99.9 rests on"));
  CHECK(all->verdict->reasons[1].starts_with("run 2: the generator itself was 99.0 % busy"));
  CHECK(all->verdict->valid_for(kCost));
  CHECK_FALSE(all->verdict->valid_for("p50"));
  CHECK(all->warnings[0] == all->verdict->reasons[0]);
}

TEST_CASE("a sum of machines is judged by no processors of one of them") {
  // Each fills 90 % of its processors.
  const RunResult small = on_cores(2, 18);
  const RunResult large = on_cores(8, 72);
  REQUIRE(small.verdict->valid());
  REQUIRE(large.verdict->valid());
  const RunResult at_once = merge(std::vector{small, large}, Order::at_once).value();
  CHECK(at_once.verdict->valid());
  CHECK(at_once.host.cores_allowed == 0);
  CHECK(merge(std::vector{small, small}, Order::at_once)->host.cores_allowed == 2);
  const RunResult in_turn = in_turn_of(std::vector{small, large}).value();
  CHECK(in_turn.verdict->valid());
  CHECK(text_report(in_turn).find(", 0 cores") == std::string::npos);
}

TEST_CASE("a sum of sums keeps the doubts about their parts") {
  RunResult slow = on_cores(2, 19);
  REQUIRE_FALSE(slow.verdict->valid());
  const RunResult sum = merge(std::vector{on_cores(2, 1), slow}, Order::at_once).value();
  const RunResult all = merge(std::vector{sum, on_cores(2, 1)}, Order::at_once).value();
  REQUIRE(all.verdict->reasons.size() == 1);
  CHECK(all.verdict->reasons[0].starts_with("run 1: run 2: the generator itself was 95"));
  CHECK(all.verdict->words() == "VALID FOR rate, cost");
  // One of netload 0.1.0 has its reasons against all.
  RunResult earlier = on_cores(2, 1);
  earlier.verdict = Verdict{.reasons = {"the clock was slow"}};
  CHECK(merge(std::vector{earlier, slow}, Order::at_once)->verdict->level() == "INVALID");
}

TEST_CASE("what no run can have measured in one part is doubted in the sum") {
  RunResult runs[] = {sample_result(), sample_result()};
  runs[1].config.emplace_back("target", "another");
  runs[1].server_cpu = CpuShare{0, 0, 1};
  pass_verdict(runs[1]);
  const RunResult sum = merge(runs, Order::at_once).value();
  REQUIRE(sum.verdict->reasons.size() == 1);
  CHECK(sum.verdict->reasons[0].starts_with("run 2: the server spent 0 ns on 200,000 messages"));
  CHECK_FALSE(sum.verdict->valid_for(kCost));
}

TEST_CASE("each generator of a sum at once has its row, and keeps it when sums are added") {
  RunResult one = sample_result(), other = sample_result();
  one.measured_from = 1000.5;
  other.measured_from = 1000.25;
  other.totals.messages = 7;
  const std::vector<std::string> names = {"one", "other"};
  const RunResult sum = merge(std::vector{one, other}, Order::at_once, names).value();
  REQUIRE(sum.generators.has_value());
  REQUIRE(sum.generators->size() == 2);
  CHECK(sum.generators->front().name == "one");
  CHECK(sum.generators->front().began_s == 0.25);
  CHECK(sum.generators->back().began_s == 0);
  CHECK(sum.generators->back().messages == 7);
  RunResult third = one;
  third.measured_from = 1000;
  const RunResult all = merge(std::vector{third, sum}, Order::at_once).value();
  REQUIRE(all.generators->size() == 3);
  CHECK(all.generators->at(0).name == "run 1");
  CHECK(all.generators->at(1).began_s == 0.5);
  CHECK(all.generators->at(2).began_s == 0.25);
  CHECK(text_report(all, false).contains("+500 ms"));
  one.measured_from = 1;
  CHECK_FALSE(merge(std::vector{one, other}, Order::in_turn)->generators.has_value());
}

TEST_CASE("no figure stands in a sum without one of its generators") {
  const RunResult run = sample_result();
  const Generator lost{.name = "rank 2", .host = "b", .lost = "killed", .verdict = {}};
  const std::vector<std::string> names = {"rank 0"};
  const RunResult sum = merge({&run, 1}, Order::at_once, names, {&lost, 1}).value();
  CHECK(sum.totals.messages == run.totals.messages);
  REQUIRE(sum.verdict.has_value());
  CHECK(sum.verdict->valid_figures().empty());
  CHECK(std::ranges::count(sum.warnings, "the sum is without rank 2: killed") == 1);
  CHECK(text_report(sum, false).contains("lost: killed"));
}

TEST_CASE("what became of datagrams is added") {
  const RunResult runs[] = {sample_of_datagrams(), sample_of_datagrams()};
  const auto all = merge(runs, Order::at_once);
  REQUIRE(all.has_value());
  REQUIRE(all->delivery.has_value());
  CHECK(all->outcome->lost == 4'014);
  CHECK(all->outcome->late == 8);
  CHECK(all->delivery->reordered == 10);
  CHECK(all->delivery->duplicated == 6);
  CHECK(all->delivery->wrong == 12);
  CHECK(all->totals.datagrams->in == 400'026);
  CHECK(all->totals.datagrams->out == 404'000);
  CHECK(all->totals.datagrams->unsent == 14);
  CHECK(all->totals.datagrams->dropped == 22);
  CHECK(all->delivery->without_ids == false);
}

TEST_CASE("a sum has no ids where one of its runs has none") {
  RunResult runs[] = {sample_of_datagrams(), sample_of_datagrams(), sample_of_datagrams()};
  runs[0].delivery->without_ids.reset();
  runs[2].delivery->without_ids = true;
  CHECK(merge(runs, Order::at_once)->delivery->without_ids == true);
}

TEST_CASE("where one run has no outcome, the sum has none") {
  RunResult runs[] = {sample_result(), sample_result()};
  for (RunResult& run : runs) run.pacing.reset();
  CHECK(merge(runs, Order::at_once)->outcome->sent == 400'000);
  runs[1].outcome.reset();
  CHECK_FALSE(merge(runs, Order::at_once)->outcome.has_value());
  CHECK(merge(runs, Order::at_once)->totals.messages == 400'000);
}

TEST_CASE("runs that do not measure the same are refused by name") {
  RunResult runs[] = {sample_result(), sample_result(), other_sample()};
  runs[2].latency.from = "send";
  check_fails(merge(runs, Order::at_once), "run 3 cannot be added to run 1: its latency counts");
  runs[2].latency.from = "schedule";
  runs[1].pacing.reset();
  check_fails(merge(runs, Order::at_once), "run 2 cannot be added to run 1: one has a rate");
  runs[1].pacing = runs[0].pacing;
  runs[1].delivery = Delivery{};
  check_fails(merge(runs, Order::at_once), "run 2 cannot be added to run 1: one is over UDP");
  runs[1].delivery.reset();
  runs[1].tool = "netecho";
  check_fails(merge(runs, Order::at_once), "it is of netecho, not of netload");
  check_fails(merge({}, Order::at_once), "no run");
}

TEST_CASE("runs that were not at once do not add up to a rate, and runs at once to no time") {
  RunResult runs[] = {sample_result(), sample_result(), sample_result()};
  const std::string names[] = {"a.json", "b.json", "c.json"};
  const auto at = [&](double b, double c) {
    runs[1].measured_from = *runs[0].measured_from + b;
    runs[2].measured_from = *runs[0].measured_from + c;
  };
  at(0.2, 0.4);
  CHECK(merge(runs, Order::at_once, names).has_value());
  check_fails(merge(runs, Order::in_turn, names),
              "a.json (2026-11-21T02:18:25Z for 10.0 s) and b.json (2026-11-21T02:18:25Z for 10.0 "
              "s) ran at once, so that their times do not add up (leave out --in-turn)");
  at(20.1, 0.4);
  check_fails(merge(runs, Order::at_once, names),
              "a.json (2026-11-21T02:18:25Z for 10.0 s) and b.json (2026-11-21T02:18:45Z for 10.0 "
              "s) did not run at once, so that their rates do not add up (--in-turn adds runs that "
              "followed one another)");
  at(8, 16);  // Each meets another, and the first and the last none.
  check_fails(merge(runs, Order::at_once), "run 1 (2026-11-21T02:18:25Z for 10.0 s) and run 3");
  at(11, 22);
  CHECK(merge(runs, Order::in_turn, names)->totals.seconds == 30);
}

TEST_CASE("runs at once with little in common are no load that there ever was") {
  RunResult runs[] = {sample_result(), sample_result()};
  runs[1].measured_from = *runs[0].measured_from + 0.9;
  CHECK(merge(runs, Order::at_once)->verdict->valid());
  runs[1].measured_from = *runs[0].measured_from + 5;
  const auto all = merge(runs, Order::at_once);
  REQUIRE(all->verdict->reasons.size() == 1);
  CHECK(all->verdict->reasons[0] ==
        "the runs had 5.00 s of 10.0 s in common: their rates were not all there at once");
  CHECK(all->warnings[0] == all->verdict->reasons[0]);
  CHECK_FALSE(all->verdict->valid_for("rate"));
  CHECK_FALSE(all->verdict->valid_for("p99"));
  CHECK(all->verdict->valid_for("cost"));
}

TEST_CASE("results written before are told apart by the second in which they were started") {
  RunResult runs[] = {sample_result(), sample_result()};
  for (RunResult& run : runs) run.measured_from.reset();
  CHECK(merge(runs, Order::at_once)->verdict->valid());
  runs[1].started = "2026-11-21T02:18:35Z";  // It may have been started before the other ended.
  CHECK(merge(runs, Order::at_once).has_value());
  CHECK(merge(runs, Order::in_turn).has_value());
  runs[1].started = "2026-11-21T02:18:37Z";
  runs[0].measured_from = 1;  // Of one alone nothing follows.
  check_fails(merge(runs, Order::at_once), "did not run at once");
  runs[1].started.clear();
  check_fails(merge(runs, Order::at_once),
              "run 2 does not say when it ran (started, measured_from)");
}

TEST_CASE("what one run does not know of the server's time is unknown of the sum, with why") {
  RunResult runs[] = {sample_result(), sample_result(), sample_result()};
  runs[1].server_cpu->opening_s = runs[1].server_cpu->closing_s = std::nullopt;
  runs[1].server_parts_unknown =
      UnknownParts{{"opening_s", "it ran on"}, {"closing_s", "it ran on"}};
  runs[2].server_cpu->closing_s = std::nullopt;
  runs[2].server_parts_unknown = UnknownParts{{"closing_s", "it ended"}};
  const auto all = in_turn_of(runs);
  REQUIRE(all.has_value());
  CHECK_FALSE(all->server_cpu->opening_s.has_value());
  CHECK_FALSE(all->server_cpu->closing_s.has_value());
  CHECK(all->server_cpu->drain_s.has_value());
  CHECK(all->server_parts_unknown == runs[1].server_parts_unknown);
  // Who measured the same server at the same time may know.
  const auto at_once = merge(runs, Order::at_once);
  CHECK(at_once->server_cpu->closing_s == runs[0].server_cpu->closing_s);
  CHECK_FALSE(at_once->server_parts_unknown.has_value());
}

TEST_CASE("what the sum is without is said, with the run that lacks it") {
  RunResult runs[] = {sample_result(), sample_result()};
  const std::string names[] = {"a.json", "b.json"};
  runs[1].server_cpu.reset();
  runs[1].server.reset();
  runs[1].server_unknown = "its socket belongs to user nobody";
  runs[0].server_parts_unknown = UnknownParts{{"closing_s", "it ran on"}};
  runs[0].totals.packets.reset();
  const auto all = merge(runs, Order::at_once, names);
  REQUIRE(all.has_value());
  CHECK_FALSE(all->server_cpu.has_value());
  CHECK_FALSE(all->server.has_value());
  CHECK_FALSE(all->server_parts_unknown.has_value());
  CHECK(all->server_unknown == "its socket belongs to user nobody");
  const auto has = [&](const char* warning) {
    return std::ranges::find(all->warnings, warning) != all->warnings.end();
  };
  CHECK(has("the sum is without the server's processor time, which b.json lacks"));
  CHECK(has("the sum is without packets, which a.json lacks"));
  CHECK(all->totals.drain->messages == 128);
  CHECK(*all->cpu.opening_s == 2 * 0.0078125);
}
