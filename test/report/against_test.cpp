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

TEST_CASE("more errors than before are worse, whatever else moved") {
  // In each round, of the 200,000 messages.
  const auto with_errors = [](double from, std::vector<std::uint64_t> errors) {
    Rounds rounds = rounds_of(from, std::vector<double>(errors.size(), 1));
    for (std::size_t i = 0; i < errors.size(); ++i)
      if (errors[i] > 0) rounds[i].totals.errors = {{"HTTP 500", errors[i]}};
    return rounds;
  };
  const auto with = [&](std::vector<std::uint64_t> then, std::vector<std::uint64_t> now) {
    return study_of(with_errors(0, std::move(then)), with_errors(5, std::move(now)));
  };
  const std::vector<std::uint64_t> none(6, 0);
  const Against all = with({0}, {200'000});
  CHECK(all.worse());
  CHECK(last_line(all) ==
        "conclusion worse: errors come to 100 % of all messages and came to 0 % ");
  CHECK(text_report(all).contains(
      "  worse     errors                         200,000 (100 %), 0 (0 %) then\n"));
  CHECK(with(none, {20, 22, 18, 20, 21, 19}).worse());
  CHECK_FALSE(with({20, 22, 18, 20, 21, 19}, none).worse());
  CHECK(text_report(with({20, 22, 18, 20, 21, 19}, none)).contains("  better    errors "));
  CHECK(with({0, 0}, {4000, 4100}).worse());
  // One broken connection, a burst of them in one round, and too few rounds to tell a burst.
  CHECK_FALSE(with(none, {0, 0, 1, 0, 0, 0}).worse());
  CHECK_FALSE(with(none, {0, 0, 300, 0, 0, 0}).worse());
  CHECK_FALSE(with({0, 0}, {0, 300}).worse());
  CHECK(text_report(with(none, {0, 0, 300, 0, 0, 0})).contains("  undecided errors "));
  CHECK_FALSE(text_report(with(none, none)).contains("errors"));
  // The same errors on both sides are no regression, and nothing is known.
  const Against both = with({200'000}, {200'000});
  CHECK_FALSE(both.worse());
  CHECK(text_report(both).contains("  undecided errors "));
}

TEST_CASE("messages without an answer are failures too") {
  Rounds after = rounds_of(5, kBefore);
  for (RunResult& run : after) {
    run.outcome = Outcome{.planned = 200'000,
                          .sent = 150'000,
                          .answered = 100'000,
                          .lost = 50'000,
                          .late = 0,
                          .unsent = 50'000};
  }
  const Against study = study_of(rounds_of(0, kBefore), after);
  CHECK(study.worse());
  CHECK(
      last_line(study) ==
      "conclusion worse: messages lost or unsent come to 50.0 % of all messages and came to 0 % ");
}

TEST_CASE("answers of another kind are compared in nothing where more of them are errors") {
  Rounds after = rounds_of(5, times(0.5));
  for (RunResult& run : after) {
    run.answers = {{"500", 150'000}, {"200", 50'000}};
    run.totals.errors = {{"HTTP 500", 150'000}};
  }
  const Against worse = study_of(rounds_of(0, kBefore), after);
  CHECK(worse.worse());
  CHECK(unfolded(text_report(worse))
            .contains("behind a figure: its answers are not the same: 500 was 0 % of the answers "
                      "and is 75.0 %"));
  for (const Moved& moved : worse.figures) CHECK(moved.doubted);
  const Against better = study_of(after, rounds_of(5, kBefore));
  CHECK_FALSE(better.worse());
  CHECK(last_line(better).ends_with("; the answers are not the same "));
}

TEST_CASE("where a server listens, and what its requests call it, is not the load") {
  const auto compared = [](std::vector<std::pair<std::string, std::string>> then,
                           std::vector<std::pair<std::string, std::string>> now) {
    Rounds before = rounds_of(0, {1}), after = rounds_of(5, {1});
    for (auto [side, options] : {std::pair(&before, &then), {&after, &now}})
      side->front().config.insert(side->front().config.end(), options->begin(), options->end());
    const auto study = against(before, after, 5);
    return study ? std::string() : study.error().message();
  };
  CHECK(compared({{"target", "1.2.3.4:1"}, {"send", "Host: a"}, {"host", "a"}, {"digest", "1"}},
                 {{"target", "1.2.3.4:2"}, {"send", "Host: b"}, {"host", "b"}, {"digest", "1"}}) ==
        "");
  CHECK(compared({{"send", "x"}, {"digest", "1"}}, {{"send", "y"}, {"digest", "2"}}) ==
        "the option send was 'x' and is 'y'");
  CHECK(compared({{"send", "x"}, {"digest", "1"}}, {{"send", "x"}, {"digest", "2"}}) ==
        "the option digest was '1' and is '2'");
  // Results of an earlier version have no digest.
  CHECK(compared({{"send", "x"}}, {{"send", "x"}, {"digest", "2"}}) == "");
  CHECK(compared({{"send", "x"}}, {{"send", "y"}, {"digest", "2"}}) ==
        "the option send was 'x' and is 'y'");
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
  CHECK(reason([](RunResult& run) { run.latency.from = "send"; }) ==
        "the option latency-from was 'schedule' and is 'send'");
  CHECK(reason([](RunResult& run) { run.answers = {{"302", 9'000}, {"200", 1'000}}; }) ==
        "302 was 0 % of the answers and is 90.0 %");
  CHECK(reason([](RunResult& run) { run.config.emplace_back("target", ":1"); }).empty());
  CHECK(reason([](RunResult& run) { run.version = "9"; }).empty());
}
