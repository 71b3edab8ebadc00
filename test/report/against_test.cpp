// Results beside earlier ones: what is worse, what is only noise, and what cannot be compared.
#include "report/against.h"

#include <doctest/doctest.h>

#include "report/verdict.h"
#include "sample_result.h"
#include "unfolded.h"

using namespace wiremark;
using namespace wiremark::report;

namespace {

// Runs that began one after the other, `from` s after the first, every 10 s. The last may differ.
Rounds rounds_of(double from, std::vector<double> cost_s) {
  Rounds rounds;
  for (const double cost : cost_s) {
    RunResult run = sample_result();
    run.verdict.emplace();
    run.server_cpu = CpuShare{.user_s = cost};
    run.measured_from = 1e9 + from + 10.0 * static_cast<double>(rounds.size());
    rounds.push_back(std::move(run));
  }
  return rounds;
}

const std::vector<double> kBefore = {1, 1.3, 0.8, 1.1, 1.2, 0.9};
// The noise of each round is that of the other side.
std::vector<double> times(double factor) {
  std::vector<double> figures = kBefore;
  for (double& figure : figures) figure *= factor;
  return figures;
}

Against study_of(const Rounds& before, const Rounds& after) {
  auto study = against(before, after, 5);
  REQUIRE_MESSAGE(study.has_value(), study.error().message());
  return *std::move(study);
}

std::string last_line(const Against& study) {
  const std::string text = unfolded(text_report(study));
  return text.substr(text.rfind("conclusion"));
}

}  // namespace

TEST_CASE("rounds in turn are compared round by round, and worse is what is surely worse") {
  const Against worse = study_of(rounds_of(0, kBefore), rounds_of(5, times(1.1)));
  CHECK(worse.paired);
  CHECK(worse.worse());
  CHECK(last_line(worse) ==
        "conclusion worse: server CPU per message is 1.10 (1.10 to 1.10, 96.9 % confidence, 6 "
        "rounds) of what it was, beyond the tolerance of 5 % ");
  CHECK(last_line(study_of(rounds_of(0, kBefore), rounds_of(5, times(0.9))))
            .starts_with("conclusion better: server CPU per message is 0.90"));
  CHECK(last_line(study_of(rounds_of(0, kBefore), rounds_of(5, times(1.04))))
            .starts_with("conclusion level: server CPU per message is 1.04"));
  // A whole side before the other has no rounds in common: their noise is not the same.
  const Against apart = study_of(rounds_of(0, kBefore), rounds_of(1000, times(1.1)));
  CHECK_FALSE(apart.paired);
  CHECK_FALSE(apart.worse());
  CHECK(last_line(apart).starts_with("conclusion cannot tell: server CPU per message 1.10 ("));
  CHECK(last_line(apart).ends_with("rounds might "));
}

TEST_CASE("a lower rate is worse, and a higher one is better") {
  Rounds after = rounds_of(5, kBefore);
  for (RunResult& run : after) run.totals.messages /= 2;
  for (RunResult& run : after) run.server_cpu->user_s /= 2;
  CHECK(last_line(study_of(rounds_of(0, kBefore), after))
            .starts_with("conclusion worse: messages/s is 0.5"));
  CHECK_FALSE(study_of(after, rounds_of(5, kBefore)).worse());
}

TEST_CASE("one run of each, or runs that are not trusted, conclude nothing") {
  const Against one = study_of(rounds_of(0, {1}), rounds_of(5, {2}));
  CHECK_FALSE(one.worse());
  CHECK(last_line(one) ==
        "conclusion cannot tell: server CPU per message 2.00 (2.00 to 2.00, 0.0 % confidence, 1 "
        "round); 6 rounds might ");
  Rounds doubted = rounds_of(5, times(3));
  for (RunResult& run : doubted) run.verdict->reasons = {"stopped"};
  const Against study = study_of(rounds_of(0, kBefore), doubted);
  CHECK_FALSE(study.worse());
  CHECK(text_report(study).find(" %, 6?\n") != std::string::npos);
}

TEST_CASE("what differs is named, and nothing is compared") {
  const Rounds before = rounds_of(0, kBefore);
  const auto reason = [&](auto change) {
    Rounds after = rounds_of(5, kBefore);
    change(after.back());
    const auto study = against(before, after, 5);
    return study ? std::string() : study.error().message();
  };
  CHECK(reason([](RunResult& run) {
          run.host.cores_allowed = 64;
        }).find("the machine's number of processors was '") == 0);
  CHECK(reason([](RunResult& run) { run.host.compiler = "cc 1"; }).find("the build was '") == 0);
  CHECK(reason([](RunResult& run) { run.path.active = "epoll"; }).ends_with("is 'epoll'"));
  CHECK(reason([](RunResult& run) { run.config.emplace_back("nodelay", "off"); }) ==
        "the option nodelay was 'not given' and is 'off'");
  CHECK(reason([](RunResult& run) { run.answers = {{"302", 9'000}, {"200", 1'000}}; }) ==
        "302 was 0 % of the answers and is 90.0 %");
  CHECK(reason([](RunResult& run) { run.config.emplace_back("target", ":1"); }).empty());
  CHECK(reason([](RunResult& run) { run.version = "9"; }).empty());
}
