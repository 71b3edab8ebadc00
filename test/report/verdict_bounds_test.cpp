// What no run can have measured is never VALID, and what runs have measured is within its bounds.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "documents.h"
#include "report/verdict.h"
#include "sample_result.h"

using namespace wiremark;
using namespace wiremark::measure;
using namespace wiremark::report;

namespace {

constexpr const char* kAllButCost = "rate p50 p90 p99 p99.9 p99.99";

RunResult with_rate() {
  RunResult result = sample_result();
  result.config = {{"rate", "200"}, {"pipeline", "1"}, {"duration", "10s"}, {"warmup", "0s"}};
  result.totals.drain->messages = 0;
  return result;
}

RunResult without_rate() {
  RunResult result = with_rate();
  result.pacing.reset();
  result.lateness.reset();
  result.service.reset();
  return result;
}

// All of its messages took so long.
RunResult taking(RunResult result, Nanoseconds each) {
  Histogram latency;
  latency.record_many(each, result.latency.count);
  result.latency = summarize(latency, result.latency.from, kPercentiles, 0);
  result.least = result.latency;
  return result;
}

bool is_possible(const RunResult& result) { return judge_bounds(result).doubts.empty(); }

// The one thing about it that no run can have measured, behind the figures that are not VALID for
// it.
std::string impossible(RunResult result) {
  const Judgement judgement = judge_bounds(result);
  REQUIRE(judgement.doubts.size() == 1);
  CHECK(judgement.notes.empty());
  const Doubt& doubt = judgement.doubts.front();
  pass_verdict(result);
  for (const std::string& figure : doubt.figures) CHECK_FALSE(result.verdict->valid_for(figure));
  CHECK(std::ranges::count(result.warnings, doubt.reason) == 1);
  return fmt::format("{}: {}", fmt::join(doubt.figures, " "), doubt.reason);
}

}  // namespace

TEST_CASE("what runs have measured is within its bounds") {
  CHECK(is_possible(with_rate()));
  CHECK(is_possible(without_rate()));
  CHECK(is_possible(sample_of_datagrams()));
  std::size_t results = 0;
  for (const char* name : {"bypass", "closed_loop", "comparison", "datagrams", "find_max",
                           "open_loop", "staged_server", "valid"}) {
    Document document = parsed(name);
    for (const RunResult* const result : results_in(document)) {
      ++results;
      CHECK_MESSAGE(is_possible(*result), name, judge_bounds(*result).doubts.front().reason);
    }
  }
  CHECK(results == 19);
}

TEST_CASE("either end spends a nanosecond on each message at least") {
  RunResult result = with_rate();
  result.server_cpu->user_s = 0;
  result.server_cpu->sys_s = 1e-9 * static_cast<double>(result.totals.messages);
  CHECK(is_possible(result));
  result.server_cpu->sys_s *= 0.99;
  CHECK(
      impossible(result).starts_with("cost: the server spent 198 us on 200,000 messages: it did"));
  result.server_cpu->sys_s = 0;
  CHECK(impossible(result).starts_with("cost: the server spent 0 ns on 200,000 messages: it did"));
  result = with_rate();
  result.cpu.user_s = result.cpu.sys_s = 0;
  CHECK(impossible(result) ==
        "cost: the generator spent 0 ns on 200,000 messages: not all of its "
        "processor time was counted");
}

TEST_CASE("both ends have no more than all processors") {
  RunResult result = with_rate();
  result.cpu.user_s = 20 - result.cpu.sys_s - result.server_cpu->total_s();
  CHECK(is_possible(result));
  result.server_cpu->sys_s += 1;
  CHECK(impossible(result) == "cost: both ends took 210 % of a core in all, and there are 2");
  result.host.cores_online = 0;
  CHECK(is_possible(result));
  result.host.cores_online = 1;
  CHECK(impossible(result) == "cost: both ends took 210 % of a core in all, and there is 1");
  result.server_cpu.reset();
  CHECK(impossible(result).starts_with("cost: the generator took 180 % of a core"));
  result.generators.emplace(1);
  CHECK_FALSE(is_possible(result));
  result.generators->emplace_back();  // On another machine, whose processors nobody counted.
  CHECK(is_possible(result));
}

TEST_CASE("a part is no more than the whole") {
  RunResult result = with_rate();
  result.totals.connections = 101;
  CHECK(impossible(result) ==
        fmt::format("{} cost: 101 connections opened, of 100 asked for", kAllButCost));
  result.totals.connections_asked = 0;  // The other side decides.
  CHECK(is_possible(result));
  result = with_rate();
  result.pacing = Pacing{.behind = 200'000, .overdue = 200'000};
  CHECK(is_possible(result));
  result.pacing->overdue = 200'001;
  CHECK(impossible(result) ==
        fmt::format("{}: 200,001 messages sent behind time, of 200,000 sent", kAllButCost));
  result.pacing = Pacing{.behind = 200'001};
  CHECK(impossible(result).find("200,001 messages sent behind time") != std::string::npos);
  result = with_rate();
  result.answers = {{"200", 199'000}, {"404", 1'001}};
  CHECK(impossible(result) ==
        fmt::format("{}: answers by kind has 200,001 values for 200,000 messages", kAllButCost));
  result.answers = {{"404", 1}};  // Not all have a kind.
  CHECK(is_possible(result));
}

TEST_CASE("each message has its one value in every histogram") {
  const std::pair<LatencySummary& (*)(RunResult&), const char*> histograms[] = {
      {[](RunResult& of) -> LatencySummary& { return of.latency; }, "latency"},
      {[](RunResult& of) -> LatencySummary& { return *of.least; },
       "latency without the generator's lateness"},
      {[](RunResult& of) -> LatencySummary& { return *of.lateness; }, "lateness"},
      {[](RunResult& of) -> LatencySummary& { return *of.service; }, "service time"}};
  for (const auto& [histogram_of, name] : histograms) {
    RunResult result = with_rate();
    histogram_of(result).count -= 1;
    CHECK(impossible(result) ==
          fmt::format("{}: {} has 199,999 values for 200,000 messages", kAllButCost, name));
    histogram_of(result).unanswered = 1;
    CHECK(is_possible(result));
    histogram_of(result).unanswered = 2;
    CHECK(impossible(result).find("has 200,001 values") != std::string::npos);
  }
}

TEST_CASE("the rate is that of the answers in the time") {
  RunResult result = with_rate();
  result.totals.messages -= 1;
  CHECK(impossible(result) ==
        "rate cost: 199,999 messages make the rate, and 200,000 were answered in the time");
  result.totals.drain->messages = 1;
  CHECK(is_possible(result));
  result.totals.drain->messages = 2;
  CHECK(impossible(result).find("and 199,998 were answered") != std::string::npos);
  result.interrupted = true;
  CHECK(is_possible(result));
  result = with_rate();
  result.totals.drain.reset();
  CHECK(is_possible(result));  // A sum in which one does not say.
  result.totals.messages += 1;
  CHECK(is_possible(result));
  result.config[2].second = "0s";  // A number of messages was asked for.
  CHECK(impossible(result).starts_with("rate cost: 200,001 messages make the rate"));
  result = with_rate();
  result.totals.seconds = 0;
  const Judgement judgement = judge_bounds(result);
  REQUIRE_FALSE(judgement.doubts.empty());
  CHECK(judgement.doubts.front().reason == "200,000 messages in no time");
}

TEST_CASE("what the warm-up had under way may be answered in the time") {
  RunResult open = with_rate(), closed = without_rate();
  for (RunResult* result : {&open, &closed}) {
    result->config[1].second = "4";
    result->config[3].second = "1s";
  }
  closed.totals.messages += 4 * 100;
  CHECK(is_possible(closed));
  closed.totals.messages += 1;
  CHECK(impossible(closed).starts_with("rate cost: 200,401 messages make the rate"));
  open.totals.messages += 2 * 200 * 100 + 100;
  CHECK(is_possible(open));
  open.totals.messages += 1;
  CHECK(impossible(open).starts_with("rate cost: 240,101 messages make the rate"));
  open.config[0].second = "200, 300";  // A sum of unlike runs.
  CHECK(is_possible(open));
}

TEST_CASE("a message and its reply take the kernel its time") {
  CHECK(is_possible(taking(with_rate(), 500)));
  RunResult result = taking(with_rate(), 499);
  CHECK(impossible(result) ==
        "p50 p90 p99 p99.9 p99.99: p50 499 ns, p90 499 ns, p99 499 ns, p99.9 "
        "499 ns, p99.99 499 ns: the kernel alone needs more for a message "
        "and its reply");
  result.config.emplace_back("format", "none");  // Without a reply.
  CHECK(is_possible(result));
}

TEST_CASE("no message takes longer than the run") {
  RunResult result = with_rate();
  Histogram latency;
  latency.record_many(kMillisecond, 190'000);
  latency.record_many(10 * kSecond, 10'000);
  result.latency = summarize(latency, "schedule", kPercentiles, 0);
  CHECK(is_possible(result));
  result.totals.seconds = 9;
  CHECK(impossible(result) ==
        "p99 p99.9 p99.99: p99 10.0 s, p99.9 10.0 s, p99.99 10.0 s in a run of 9.06 s");
  result.totals.drain->seconds = 1;
  CHECK(is_possible(result));
}

TEST_CASE("a closed loop has no more under way than its connections hold") {
  const RunResult full = taking(without_rate(), 5 * kMillisecond);  // 100 places of 10 s.
  CHECK(is_possible(full));
  RunResult result = taking(without_rate(), 6 * kMillisecond);
  CHECK(impossible(result) ==
        fmt::format("{}: messages took 20 min in all, with 100 under way at most for 10.1 s",
                    kAllButCost));
  result.config[1].second = "2";
  CHECK(is_possible(result));
  CHECK(is_possible(taking(with_rate(), 6 * kMillisecond)));  // More may be due than are under way.
}

// Each is refused, for what follows from it, or is not VALID for what it is part of.
TEST_CASE("no number that a judged figure is made of can be changed alone") {
  RunResult good = with_rate();
  pass_verdict(good);
  REQUIRE(good.verdict->valid());
  const Json document = Json::parse(json_document(good));
  constexpr std::string_view kMadeOf[] = {
      "/totals/messages",     "/totals/seconds",     "/totals/qps",
      "/latency_ns/",         "/outcome/planned",    "/outcome/sent",
      "/outcome/answered",    "/outcome/lost",       "/outcome/unsent",
      "/pacing/overdue",      "/cpu/process/user_s", "/cpu/process/sys_s",
      "/cpu/process/seconds", "/cpu/server/user_s",  "/cpu/server/sys_s",
      "/cpu/server/seconds",  "/us_cpu_per_message", "/server_us_cpu_per_message"};
  const Json flat = document.flatten();
  std::size_t changes = 0;
  for (const auto& [place, value] : flat.items()) {
    if (!value.is_number() || std::ranges::none_of(kMadeOf, [&](std::string_view part) {
          return place.starts_with(part);
        }))
      continue;
    if (place.find("/histogram/") != std::string::npos) continue;  // All else follows from it.
    for (const double factor : {0., 0.001, 1000.}) {
      Json changed = document;
      Json& number = changed[Json::json_pointer(place)];
      const double other = number.get<double>() * factor;
      number.is_number_float() ? number = other : number = static_cast<std::uint64_t>(other);
      if (number == value) continue;
      ++changes;
      auto read = parse_document(changed.dump());
      if (!read) continue;
      auto result = std::get<RunResult>(std::move(*read));
      judge_again(result);
      CHECK_MESSAGE(!result.verdict->valid(), place, factor);
    }
  }
  CHECK(changes > 50);
}
