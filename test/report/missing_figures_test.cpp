// Figures that a run does not have: none in each form of a study, and never a 0 or those of others.
#include <doctest/doctest.h>

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "measure/histogram.h"
#include "report/against.h"
#include "report/html.h"
#include "report/study.h"
#include "report/text.h"
#include "report/verdict.h"

#include "documents.h"
#include "sample_result.h"
#include "unfolded.h"

using namespace wiremark;
using namespace wiremark::report;

namespace {

RunResult judged_round(RunResult round) {
  round.verdict.reset();
  pass_verdict(round);
  return round;
}

RunResult whole_round() { return judged_round(sample_result()); }

// A round of which this share of the messages was never answered.
RunResult round_that_lost(double share) {
  RunResult round = sample_result();
  const auto histogram = restore(round.latency).value();
  const auto lost =
      static_cast<std::uint64_t>(static_cast<double>(histogram.count()) * share / (1 - share));
  round.latency = summarize(histogram, "schedule", kPercentiles, lost);
  round.outcome->planned += lost;
  round.outcome->sent += lost;
  round.outcome->lost += lost;
  return judged_round(std::move(round));
}

RunResult round_without_messages() {
  RunResult round = sample_result();
  round.totals.messages = 0;
  round.latency = summarize({}, "schedule");
  return judged_round(std::move(round));
}

// What stands for a figure that is none in no form: a time, a cost, and what they divide to.
constexpr const char* kZeros[] = {" 0 ns", "<td>0 ns<", " 0.00 ", "<td>0 us<", ">nan", ">inf"};

// No form of it has a figure of nothing, and it is the same when it is read again.
template <class Study>
void check_no_zero(const Study& study) {
  const std::string texts[] = {text_report(study), html_page(study)};
  for (const std::string& text : texts) {
    for (const char* zero : kZeros) {
      const std::size_t at = text.find(zero);
      CHECK_MESSAGE(at == std::string::npos, text.substr(at < 80 ? 0 : at - 80, 160));
    }
  }
  const std::string document = json_document(study);
  const auto again = parse_document(document);
  REQUIRE_MESSAGE(again.has_value(), again.error().message());
  CHECK(json_document(*again) == document);
}

void check_has(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts) CHECK_MESSAGE(text.find(part) != std::string::npos, part, text);
}

std::optional<Nanoseconds> percentile_of_all(const Rounds& rounds, double percent) {
  const PooledLatency all = latency_of(rounds);
  return percentile_of(all.histogram, percent, all.unanswered);
}

Comparison compared(Rounds one, Rounds other) {
  Comparison study;
  study.backends = {{"epoll", std::move(one)}, {"uring", std::move(other)}};
  return remade(std::move(study));
}

}  // namespace

TEST_CASE("a run without messages has no cost in any form") {
  const RunResult run = round_without_messages();
  const auto document = nlohmann::json::parse(json_document(run));
  CHECK(document["us_cpu_per_message"].is_null());
  CHECK_FALSE(document.contains("server_us_cpu_per_message"));
  check_has(text_report(run), {"of a core    per message      memory\n  netload"});
  CHECK(text_report(run).find(" 0 us") == std::string::npos);
  check_has(html_page(run), {"<td>-</td><td>-</td><td>0</td></tr>"});  // Client, server, errors.
  RunResult unmeasured = sample_result();
  unmeasured.server_cpu = CpuShare{};
  CHECK_FALSE(unmeasured.server_us_cpu_per_message().has_value());
}

TEST_CASE("what a round of a comparison does not have the comparison does not have") {
  const Comparison study =
      compared({whole_round(), whole_round()}, {whole_round(), round_without_messages()});
  check_no_zero(study);
  const auto uring = nlohmann::json::parse(json_document(study))["backends"][1];
  CHECK(uring["us_cpu_per_message"].is_null());
  CHECK(uring["server_us_cpu_per_message"].is_null());
  CHECK(uring["qps"]["min"] == 0);  // That is what came: none in a second.
  check_has(text_report(study), {"  uring   n/a?                    n/a?\n"});
  // All but that round has been compared.
  CHECK(study.backends[1].server_cpu_ratio->rounds == 1);

  const Comparison none = compared({round_without_messages()}, {round_without_messages()});
  check_no_zero(none);
  check_has(text_report(none), {"       -?       -?       -?"});
  check_has(unfolded(text_report(none)), {"no round has messages of both"});
}

TEST_CASE("percentiles of a comparison are those of all messages") {
  const Comparison study = compared({whole_round()}, {round_that_lost(0.13)});
  check_no_zero(study);
  check_has(text_report(study), {"   never?   never?\n"});
  check_has(html_page(study), {"<td>unanswered</td><td>unanswered</td>"});
  // The median is that of a rank further up.
  CHECK(percentile_of_all(study.backends[1].rounds, 50) >
        percentile_of_all(study.backends[0].rounds, 50));
  const Comparison most = compared({whole_round()}, {round_that_lost(0.6)});
  check_has(text_report(most), {"   never?   never?   never?\n"});
  // Of both rounds together a fourth was lost.
  const Rounds both = {whole_round(), round_that_lost(0.4)};
  CHECK(percentile_of_all(both, 70).has_value());
  CHECK_FALSE(percentile_of_all(both, 76).has_value());
}

TEST_CASE("a probe tells its percentiles of all messages") {
  MaxRate study = std::get<MaxRate>(parsed("find_max"));
  study.probes[0].result = round_that_lost(0.02);
  study.probes[1].result = round_without_messages();
  check_no_zero(study);
  check_has(probe_line(2, study.probes[0]), {"   20.0 k    never "});
  check_has(probe_line(2, study.probes[1]), {"        0        - "});
  check_has(html_page(study), {"<td>unanswered</td>", "In the table alone: probes whose p99"});
}

TEST_CASE("ways of a bypass have no figure that a round of theirs lacks") {
  Bypass study = std::get<Bypass>(parsed("bypass"));
  study.ways.front().rounds = {round_that_lost(0.6)};
  for (const char* name : {kUdpSpinning, kXdpSpinning, kUdpFlows, kXdpFlows})
    study.ways.insert(study.ways.end() - 1, {name, 1, {whole_round(), whole_round()}});
  study.ways[4].rounds[1] = round_that_lost(0.6);
  study.ways[6].rounds[1] = round_without_messages();
  study.ways.back().rounds = {round_without_messages()};
  study = with_parts(std::move(study), {300});
  check_no_zero(study);
  check_has(unfolded(text_report(study)),
            {"TCP, asleep in between n/a?", "AF_XDP, 64 flows, asleep n/a? n/a + n/a?",
             "processor spends per message is not known of each round",
             "AF_XDP takes an unknown part of the kernel's round trip where both spin, and an "
             "unknown part of its processor time"});
  CHECK_FALSE(study.parts.sleep_and_wake.has_value());
  CHECK(study.parts.shared_memory->median == 300);
  const auto document = nlohmann::json::parse(json_document(study));
  const auto& load = document["ways"].back();
  CHECK(load["p50_ns"].is_null());
  CHECK(load["server_us_cpu_per_message"].is_null());
  CHECK_FALSE(load["server_kernel_pct"].is_null());  // Its server was busy all the same.
  // What says nothing is not drawn.
  const std::string page = html_page(study);
  check_has(page, {"INVALID: round 1 of TCP, asleep in between has no median round trip"});
  CHECK(page.find("What that is made of") == std::string::npos);
  CHECK(page.find("<td>AF_XDP, spinning</td>") == std::string::npos);
}

TEST_CASE("runs of an experiment have percentiles of all messages, and no cost of none") {
  Experiment study = std::get<Experiment>(parsed("experiment"));
  for (RunResult run : {round_that_lost(0.13), round_without_messages()}) {
    study.runs.emplace_back();
    study.runs.back().load = std::move(run);
  }
  check_no_zero(study);
  check_has(html_page(study), {"<td>unanswered</td><td>10.0 us</td></tr>",
                               "<td>0</td><td>-</td><td>-</td><td>-</td></tr>"});
}

TEST_CASE("a percentile that was never reached is not held against others") {
  const Rounds before(8, whole_round());
  Rounds after = before;
  // Whoever judged the run by hand.
  after.back() = round_that_lost(0.02);
  after.back().verdict.emplace();
  const auto study = against(before, after, 5);
  REQUIRE_MESSAGE(study.has_value(), study.error().message());
  const auto moved_of = [&](const char* what) {
    return *std::ranges::find(study->figures, what, &Moved::what);
  };
  CHECK(moved_of("p50").ratio.has_value());
  CHECK_FALSE(moved_of("p99").ratio.has_value());
  CHECK(moved_of("p99").answer == Answer::undecided);
  // The cost of a round without messages is left out.
  after.back() = round_without_messages();
  const auto other = against(before, after, 5);
  REQUIRE_MESSAGE(other.has_value(), other.error().message());
  CHECK(other->figures.front().what == "server CPU per message");
  CHECK(other->figures.front().ratio->rounds == 7);
}

TEST_CASE("earlier documents with 0 for what a round lacks are read, and lose it") {
  const Json zero = {{"median", 0}, {"min", 0}, {"max", 0}, {"rounds", 1}};
  const auto check_read = [](const Json& earlier, const auto& study) {
    const auto read = parse_document(earlier.dump());
    REQUIRE_MESSAGE(read.has_value(), read.error().message());
    CHECK(json_document(*read) == json_document(study));
  };
  const RunResult nothing = round_without_messages();
  Json run = Json::parse(json_document(nothing));
  run["us_cpu_per_message"] = 0;
  run["server_us_cpu_per_message"] = 0;
  check_read(run, nothing);

  const Comparison comparison = compared({whole_round()}, {nothing});
  Json document = Json::parse(json_document(comparison));
  document["backends"][1]["us_cpu_per_message"] = zero;
  document["backends"][1]["server_us_cpu_per_message"] = zero;
  document["backends"][1]["rounds"][0] = run;
  check_read(document, comparison);

  Bypass bypass = std::get<Bypass>(parsed("bypass"));
  bypass.ways[0].rounds = {round_that_lost(0.13)};
  bypass.ways[1].rounds = {round_that_lost(0.6)};
  bypass.ways[2].rounds = {nothing};
  bypass.ways[2].rounds.front().server_cpu.reset();
  document = Json::parse(json_document(bypass));
  const Json answered = {{"median", 84'223}, {"min", 84'223}, {"max", 84'223}, {"rounds", 1}};
  for (const std::size_t way : {0, 1}) document["ways"][way]["p50_ns"] = answered;
  for (const char* figure :
       {"p50_ns", "us_cpu_per_message", "server_us_cpu_per_message", "server_kernel_pct"})
    document["ways"][2][figure] = zero;
  check_read(document, bypass);

  // A 0 is refused where there is a figure.
  document["ways"][3]["server_us_cpu_per_message"] = zero;
  CHECK(reason_against(document).starts_with("/ways/3/server_us_cpu_per_message"));
}
