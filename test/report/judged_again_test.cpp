// A result that was read from a document is judged from its figures, whatever its verdict is.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "documents.h"
#include "report/merge.h"
#include "report/verdict.h"
#include "sample_result.h"

using namespace wiremark::measure;
using namespace wiremark::report;

namespace {

RunResult judged(RunResult result) {
  pass_verdict(result);
  return result;
}

RunResult again(RunResult result) {
  judge_again(result);
  return result;
}

bool stays(const RunResult& result) {
  return json_document(again(result)) == json_document(result);
}

// Doubted for its rate, for percentiles, and for its cost, by rules about the load, the machine and
// what no run can have measured.
RunResult bad_result() {
  RunResult result = sample_result();
  result.pacing.reset();
  result.cpu.user_s = 5.6;
  result.other_clients->ended = 1;
  result.server_cpu->user_s = result.server_cpu->sys_s = 0;
  return judged(std::move(result));
}

// As somebody might who wants it to be VALID.
RunResult set_valid(RunResult result) {
  result.warnings.clear();
  result.verdict->reasons.clear();
  for (FigureVerdict& figure : *result.verdict->figures) figure.reasons.clear();
  return result;
}

}  // namespace

TEST_CASE("a verdict that was set by hand is that of the figures again") {
  const RunResult bad = bad_result();
  REQUIRE(bad.verdict->reasons.size() == 3);
  REQUIRE(bad.verdict->level() == "INVALID");
  RunResult set = set_valid(bad);
  CHECK(again(set).warnings == bad.verdict->reasons);
  const auto is_as_before = [&] {
    const Verdict verdict = *again(set).verdict;
    return verdict.words() == bad.verdict->words() && verdict.reasons == bad.verdict->reasons;
  };
  CHECK(is_as_before());
  set.verdict->figures->clear();
  CHECK(is_as_before());
  set.verdict->figures.reset();
  CHECK(is_as_before());
  set.verdict.reset();
  CHECK(is_as_before());
}

TEST_CASE("a figure that was set by hand is doubted again, for the reason that is there") {
  const RunResult bad = bad_result();
  RunResult set = bad;
  set.verdict->figures->front().reasons.clear();
  REQUIRE(set.verdict->valid_for(kRate));
  CHECK(json_document(again(set)) == json_document(bad));
}

TEST_CASE("a verdict that the figures bear out stays as it is") {
  CHECK(stays(judged(sample_result())));
  CHECK(stays(judged(sample_of_datagrams())));
  CHECK(stays(bad_result()));
  const RunResult valid = std::get<RunResult>(parsed("valid"));
  REQUIRE(valid.verdict->valid());
  CHECK(stays(valid));
  // A note that is there already is not said again.
  RunResult noted = sample_result();
  noted.machine.busy_pct = 95;
  noted = judged(std::move(noted));
  REQUIRE(noted.notes().size() == 1);
  CHECK(stays(noted));
}

TEST_CASE("a reason of the verdict that the figures do not give stands, and is said first") {
  RunResult result = judged(sample_result());
  const std::string reason = "the generators had little in common";
  result.verdict->reasons = {reason};
  for (FigureVerdict& figure : *result.verdict->figures)
    if (figure.name == "p99") figure.reasons = {reason};
  result.warnings = {reason, "what the tool itself has to say"};
  CHECK(stays(result));
  result.other_clients->ended = 1;
  const RunResult more = again(result);
  REQUIRE(more.verdict->reasons.size() == 2);
  CHECK(more.verdict->words() == "VALID FOR rate, p50, p90, p99.9, p99.99");
  REQUIRE(more.warnings.size() == 3);
  CHECK(more.warnings[0] == reason);
  CHECK(more.warnings[1] == more.verdict->reasons[1]);
  CHECK(more.warnings[2] == "what the tool itself has to say");
}

// Their reasons are against all figures, and their rules were fewer.
TEST_CASE("verdicts of netload 0.1.0 stay, but for those that are VALID by its rules alone") {
  std::vector<std::string> others;
  for (const char* name : {"bypass", "closed_loop", "comparison", "datagrams", "find_max",
                           "open_loop", "staged_server"}) {
    Document document = parsed(name);
    for (const RunResult* const run : results_in(document)) {
      if (stays(*run)) continue;
      CHECK(run->verdict->valid());
      others.push_back(std::string(name) + " " + again(*run).verdict->words());
    }
  }
  CHECK(others == std::vector<std::string>(2, "bypass VALID FOR rate, cost"));
}

TEST_CASE("a verdict that contradicts itself, or is on no generator, is refused") {
  Json document = Json::parse(json_document(judged(sample_result())));
  document["verdict"]["figures"][1]["valid"] = false;
  document["verdict"]["figures"][1]["reasons"] = {"a doubt"};
  CHECK(reason_against(document) ==
        "/verdict/figures/1/reasons has 'a doubt', and /reasons has not");
  document["verdict"]["reasons"] = {"a doubt"};
  document["verdict"]["valid"] = false;
  CHECK(reason_against(document) == "");
  document["role"] = "server";
  CHECK(reason_against(document) == "/verdict is there, and /role is not generator");
}

TEST_CASE("a sum stays as it is") {
  RunResult one = sample_result();
  one.other_clients.reset();
  one.cpu = {0, 15, 2};  // Both together fill more than the processors of one machine.
  const RunResult at_once = merge(std::vector{one, one}, Order::at_once).value();
  CHECK(at_once.verdict->valid());
  CHECK(stays(at_once));
  RunResult later = one;
  *later.measured_from += 100;
  later.totals.connections = 99;
  const RunResult in_turn = merge(std::vector{one, later}, Order::in_turn).value();
  CHECK_FALSE(in_turn.verdict->valid());
  CHECK(stays(in_turn));
}
