// Studies: documents of the tools are read, made again the same, and refused where they are wrong.
#include "report/study.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "report/against.h"
#include "report/csv.h"
#include "report/html.h"
#include "report/json.h"
#include "report/verdict.h"

#include "documents.h"
#include "sample_result.h"
#include "unfolded.h"

using namespace wiremark;
using namespace wiremark::report;

namespace {

void check_refused(const char* name, const char* place, const Json& value, const char* reason) {
  Json document = document_of(name);
  document[Json::json_pointer(place)] = value;
  CHECK(reason_against(document) == place + (" is " + std::string(reason)));
}

template <class Study>
Study study_of(const char* name) {
  return std::get<Study>(parsed(name));
}

template <class Study>
void check_same_again(const char* name) {
  const Study study = study_of<Study>(name);
  CHECK(with_buckets(nlohmann::json::parse(json_document(study))) ==
        nlohmann::json(document_of(name)));
  CHECK(text_report(study).find("Linux") != std::string::npos);
}

}  // namespace

TEST_CASE("studies that netload has written before are read, and are the same when written") {
  check_same_again<Comparison>("comparison");
  check_same_again<MaxRate>("find_max");
  check_same_again<Bypass>("bypass");
}

TEST_CASE("a round that failed is named in each form of its study, and is no comparison's side") {
  const FailedRound round{"uring", 2, "0 of 2 connections opened"};
  const auto check_named = [](const auto& study, const std::string& words) {
    const auto again = parse_document(json_document(study));
    REQUIRE_MESSAGE(again.has_value(), again.error().message());
    CHECK(json_document(*again) == json_document(study));
    CHECK(unfolded(text_report(study)).find("FAILED " + words) != std::string::npos);
    CHECK(html_page(study).find("Failed: " + words) != std::string::npos);
  };
  const auto whole = study_of<Comparison>("comparison");
  Comparison comparison = whole;
  comparison.failed = round;
  check_named(comparison, "round 2 of uring: 0 of 2 connections opened");
  const auto refusal = [](const Comparison& before, const Comparison& after) {
    const auto refused = against(before, after, 5);
    return refused ? "none" : refused.error().message();
  };
  CHECK(refusal(whole, comparison) ==
        "the later comparison is not whole: round 2 of uring: 0 of 2 connections opened");
  CHECK(refusal(comparison, whole) ==
        "the earlier comparison is not whole: round 2 of uring: 0 of 2 connections opened");
  CHECK(refusal(whole, whole) == "none");
  auto bypass = study_of<Bypass>("bypass");
  bypass.failed = round;
  check_named(bypass, "round 2 of uring: 0 of 2 connections opened");
  auto search = study_of<MaxRate>("find_max");
  search.failed = {8'000, "0 of 2 connections opened"};
  check_named(search, "the probe of 8.00 k messages/s: 0 of 2 connections opened");
}

TEST_CASE("what codecbench wrote before is read, with refused rows that have no figures") {
  const auto codecs = study_of<CodecTable>("codecs_before");
  CHECK(codecs.run.tool == "codecbench");
  CHECK(codecs.method == "not told");
  REQUIRE(codecs.cells.size() == 3);
  CHECK(codecs.cells[0].figures.repeats_ns.size() == 2);
  CHECK(codecs.cells[2].refused == "decode of content 2: invalid_utf8");
  CHECK(codecs.cells[2].figures.batches == 0);
  // On its page a time has a unit that leaves three digits.
  auto slow = codecs;
  slow.cells[0].figures.ns_p50 = 72'604;
  CHECK(html_page(slow).find("72.6 us") != std::string::npos);
  CHECK(html_page(slow).find("7.68 ns") != std::string::npos);
  // It is written as it is now, and that is the same when it is read again.
  const std::string now = json_document(codecs);
  CHECK(now.starts_with("{\n  \"schema\": \"wiremark.codecs/1\""));
  const auto again = parse_document(now);
  REQUIRE_MESSAGE(again.has_value(), again.error().message());
  CHECK(json_document(*again) == now);
}

TEST_CASE(
    "the page of a comparison concludes as its text does, and tells each kind of doubt once") {
  Comparison study = study_of<Comparison>("comparison");
  for (Compared& one : study.backends) {
    for (std::size_t i = 0; i < one.rounds.size(); ++i)
      one.rounds[i].verdict = Verdict{{"p99 rests on " + std::to_string(i + 1) + " of 100 values"}};
  }
  const std::string page = html_page(study);
  const std::vector<std::string> sentences = conclusions_of(study);
  REQUIRE(sentences.size() == study.backends.size() - 1);
  CHECK(page.find("<p>Conclusion: " + sentences.front() + "</p>") != std::string::npos);
  CHECK(unfolded(text_report(study)).ends_with(sentences.back() + " "));
  const std::string rounds = std::to_string(study.backends.front().rounds.size());
  CHECK(page.find("<li>" + rounds + " of " + rounds + ": p99 rests on 1 of 100 values</li>") !=
        std::string::npos);
  CHECK(page.find(": p99 rests on 2 of 100 values</li>") == std::string::npos);
}

TEST_CASE("an experiment is read, and says what its script had printed") {
  const auto experiment = study_of<Experiment>("experiment");
  CHECK(with_buckets(nlohmann::json::parse(json_document(experiment))) ==
        nlohmann::json(document_of("experiment")));
  CHECK(text_report(experiment) == "512x1\n  server  MiB/s\n  epoll   12 (11..13)\n");
}

TEST_CASE("the page of an experiment draws ratios of paired rounds, and what was printed") {
  Experiment study = study_of<Experiment>("experiment");
  CHECK(html_page(study).find("ratio to") == std::string::npos);
  const auto run = [](const char* server, int round, double cost_us, double client_pct) {
    Trial trial;
    trial.labels = {{"point", "64 B x 1"}, {"server", server}, {"placed", "near"}};
    trial.figures = {{"cost_us", cost_us},
                     {"round", round},
                     {"server_cpu_pct", 90},
                     {"client_cpu_pct", client_pct}};
    return trial;
  };
  study.base = "epoll";
  for (int round = 1; round <= 6; ++round) {
    study.runs.push_back(run("uv", round, 3 * round, 50));
    study.runs.push_back(run("epoll", round, 2 * round, 50));
  }
  // Opposite ends were the bottleneck of the two: they are not compared.
  study.runs.push_back(run("uv", 7, 90, 99));
  study.runs.push_back(run("epoll", 7, 2, 50));
  study.runs.push_back(run("uv", 8, 90, 50));  // The other one failed.
  const std::string page = html_page(study);
  const auto contains = [&](const char* part) {
    CHECK_MESSAGE(page.find(part) != std::string::npos, part);
  };
  contains("<h1>Experiment E3</h1>");
  contains("<h2>64 B x 1, near: ratio to epoll</h2>");
  contains(
      "<td>uv, CPU per message</td><td>1.500</td><td>1.500</td><td>1.500</td><td>96.9 %</td>"
      "<td>6</td>");
  contains("<li>512x1, uv failed: netload exits with 3: no</li>");
  contains("<pre>\n512x1\n  server  MiB/s\n  epoll   12 (11..13)\n</pre>");
  CHECK(page.find("messages/s</td><td>") == std::string::npos);  // No run has that figure.
  CHECK(page.find("nan") == std::string::npos);
}

TEST_CASE("each run or figure of a study is a row, and no column has the name of another") {
  const auto check_rows = [](const Document& document, std::size_t rows, const char* part) {
    const std::string header = csv_header(shape_of(document));
    std::istringstream names(header.substr(0, header.size() - 1));
    std::set<std::string> known;
    for (std::string name; std::getline(names, name, ',');) {
      CAPTURE(name);
      CHECK(known.insert(name).second);
    }
    const std::string text = csv_rows(document);
    CHECK(static_cast<std::size_t>(std::ranges::count(text, '\n')) == rows);
    CHECK_MESSAGE(text.find(part) != std::string::npos, text);
  };
  check_rows(study_of<Comparison>("comparison"), 4, "0,uring,0,netload,");
  check_rows(study_of<MaxRate>("find_max"), 6, "\n,50,false,");
  check_rows(study_of<Bypass>("bypass"), 4, ",\"TCP, spinning\",1,");
  check_rows(study_of<CodecTable>("codecs_before"), 3, ",packet/bytes:own/");
  check_rows(study_of<Experiment>("experiment"), 3, "point=512x1 server=epoll,,qps=12.5 cost_us=3");
}

TEST_CASE("a study has the setting that it was given") {
  auto study = study_of<Comparison>("comparison");
  CHECK(text_report(study).find("processors not told") != std::string::npos);
  study.setting = {"2 connections, one round", "client on 0, server on 1"};
  CHECK(text_report(study).starts_with("2 connections, one round\n\n"));
  CHECK(text_report(study).find("processors client on 0, server on 1") != std::string::npos);
  const auto again = parse_document(json_document(study));
  REQUIRE(again.has_value());
  CHECK(text_report(std::get<Comparison>(*again)) == text_report(study));
}

TEST_CASE("a study is refused for what its table forbids, and for what its rounds contradict") {
  const std::string made = ", and the rest of the document makes it ";
  check_refused("comparison", "/rounds_left_out", -1,
                "-1, and must be an integer from 0 to 9007199254740991");
  check_refused("comparison", "/backends", Json::array(),
                "an array of 0, and must be an array of 1 or more");
  check_refused("comparison", "/backends/0/valid_rounds", 2, ("2" + made + "0").c_str());
  check_refused("comparison", "/backends/1/rounds/0/cpu/machine/busy_pct", 250,
                "250, and must be a number from 0 to 100");
  check_refused("comparison", "/hurried", 1, "1, and there is no such member");
  check_refused("bypass", "/ways", Json::array(),
                "an array of 0, and must be an array of 4 or more");
  check_refused("find_max", "/probes/0/kept", "yes", "\"yes\", and must be true or false");
  check_refused("codecs_before", "/cells/0/key", "packet/a",
                ("\"packet/a\"" + made + "\"packet/bytes:memcpy/encode/hot\"").c_str());
  check_refused("codecs_before", "/cells/0/access", "warm",
                "\"warm\", and must be one of [\"hot\",\"cold\"]");
  check_refused("codecs_before", "/cells/0/qps", -1, "-1, and must be a number of 0 or more");
  check_refused("experiment", "/runs/0/figures/qps", "fast",
                "\"fast\", and must be a number of 0 or more");
  check_refused("experiment", "/runs/2/load/totals/qps", 1,
                ("1" + made + "7902.384686822173").c_str());

  Json document = document_of("comparison");
  document["backends"][1]["qps_ratio"]["median"] = 9;
  CHECK(reason_against(document).starts_with(
      "/backends/1/qps_ratio/median is 9, and the rest of the document makes it "));
  document = document_of("bypass");
  document["ways"][0]["p50_ns"]["median"] = 9;
  CHECK(reason_against(document).starts_with(
      "/ways/0/p50_ns/median is 9, and the rest of the document makes it "));
}

TEST_CASE("a search tells its maximum, or that there is none") {
  auto study = study_of<MaxRate>("find_max");
  CHECK(text_report(study).find("maximum    none") != std::string::npos);
  study.max_rate_hz = study.probes.front().rate_hz;
  study.reached_hz = measure::Spread{49, 48, 50, 1};
  study.p99_ns = measure::Spread{2'000'000, 1'000'000, 3'000'000, 1};
  study.next = BrokenRate{100, "the generator, not the server, is the limit"};
  study.limit = "machine";
  CHECK(text_report(study).find("the machine: an end had no processor") != std::string::npos);
  study.limit = "generator";
  const std::string text = unfolded(text_report(study));
  for (const char* part :
       {"messages/s, kept in 1 of 2 probes: 49 (48 to 50) reached, p99 2.00 ms (1.00 ms to",
        "next 100: the generator", "limit the generator"})
    CHECK_MESSAGE(text.find(part) != std::string::npos, text);
}

namespace {

// A round in which these figures are doubted.
RunResult round_without(std::vector<std::string> figures) {
  RunResult round = sample_result();
  Judgement judgement = judge(round);
  if (!figures.empty()) judgement.doubts.push_back({"so it was", std::move(figures)});
  pass_verdict(round, judgement);
  return round;
}

}  // namespace

TEST_CASE("a median stands with more than half of its rounds, a percentile with all") {
  Rounds rounds = {round_without({}), round_without({kRate, "p99"}), round_without({kRate})};
  CHECK(stands(rounds, kCost));
  CHECK(stands(rounds, "p50"));
  CHECK_FALSE(stands(rounds, "p99"));
  CHECK_FALSE(stands(rounds, kRate));
  rounds.push_back(round_without({}));
  CHECK_FALSE(stands(rounds, kRate));
  rounds.push_back(round_without({}));
  CHECK(stands(rounds, kRate));
}

TEST_CASE("a table marks what does not stand, and has no red word where its costs do") {
  const Rounds full = {round_without({kRate, "p50", "p90", "p99", "p99.9", "p99.99"})};
  Comparison study;
  study.backends = {{"epoll", full}, {"uring", {round_without({})}}};
  study = remade(std::move(study));
  const std::string text = text_report(study);
  for (const char* part :
       {"  epoll   VALID FOR 20.0 k? 84.2 us?  129 us?", "  epoll   10.00 (10.00 to 10.00)  25.00",
        "  uring   VALID  ", "server CPU per message x 1.000 (1.000 to 1.000)\n",
        "x 1.000 (1.000 to 1.000)?", "not to be trusted, for the reasons below",
        "doubt      1 of 1 round of epoll: not rate, p50"})
    CHECK_MESSAGE(text.find(part) != std::string::npos, part, text);
  CHECK(text.find("INVALID") == std::string::npos);
  study.backends = {
      {"epoll", {round_without({kRate, "p50", "p90", "p99", "p99.9", "p99.99", kCost})}}};
  CHECK(text_report(study).find("  epoll   INVALID  ") != std::string::npos);
  study.backends = {{"uring", {round_without({})}}};
  CHECK(text_report(study).find('?') == std::string::npos);
}

TEST_CASE(
    "a comparison ends in one sentence for each backend but the first, and draws its ratios") {
  const auto costs = [](double factor) {
    Rounds rounds;
    for (int round = 0; round < 6; ++round) {
      rounds.push_back(round_without({}));
      rounds.back().server_cpu->user_s *= factor * (1 + 0.01 * round);
      rounds.back().server_cpu->sys_s *= factor * (1 + 0.01 * round);
    }
    return rounds;
  };
  Comparison study;
  study.backends = {{"epoll", costs(1)}, {"uring", costs(0.5)}, {"other", costs(1)}};
  study.backends[2].rounds[5].server_cpu->sys_s = 1;
  study = remade(std::move(study));
  const std::string text = text_report(study);
  CHECK(unfolded(text).ends_with(
      " conclusion uring has 0.50 (0.50 to 0.50, 96.9 % confidence, 6 rounds) of epoll's server "
      "CPU per message cannot tell other and epoll apart by server CPU per message: 1.00 "
      "(0.73 to 1.00, 96.9 % confidence, 6 rounds); not even 1000 rounds might "));
  CHECK(text.find("0.500)\n") != std::string::npos);
  const std::string drawn = text_report(study, Letters::ascii);
  CHECK(drawn.find("x 0.500 (0.500 to 0.500)    o           |\n") != std::string::npos);
  // Rounds that are not trusted conclude nothing.
  for (RunResult& round : study.backends[1].rounds) round = round_without({kCost});
  CHECK(unfolded(text_report(study))
            .find("conclusion cannot tell uring and epoll apart: server CPU per "
                  "message of uring is not to be trusted") != std::string::npos);
}

TEST_CASE("what a bypass buys is said where UDP was measured, and why not where it was not") {
  auto study = study_of<Bypass>("bypass");
  CHECK(bought_text(study).empty());
  const Rounds rounds = study.ways.front().rounds;
  for (const char* name : {kUdpSpinning, kXdpSpinning, kUdpFlows, kXdpFlows})
    study.ways.insert(study.ways.end() - 1, {name, 1, rounds});
  const std::string text = text_report(study);
  CHECK_MESSAGE(
      unfolded(text).find(" bypass AF_XDP takes 1.00 (1.00 to 1.00, in too few rounds)") !=
          std::string::npos,
      text);
  CHECK(text.find("\n  AF_XDP, spinning ") != std::string::npos);
  CHECK(html_page(study).find("AF_XDP takes 1.00") != std::string::npos);
  study.not_tried = "unshare CLONE_NEWNET: Operation not permitted";
  const auto again = parse_document(json_document(study));
  REQUIRE(again.has_value());
  CHECK(bought_text(std::get<Bypass>(*again)) == "not tried past the kernel: " + *study.not_tried);
}

TEST_CASE("parts of a bypass that do not add up say nothing") {
  const auto one = [](double ns) { return measure::Spread{ns, ns, ns, 5}; };
  BypassParts parts{one(20'000), one(4'000), one(5'000), one(300)};
  CHECK_FALSE(discord_of(parts, 29'300).has_value());
  CHECK_FALSE(discord_of(parts, 24'500).has_value());
  CHECK(*discord_of(parts, 24'300) ==
        "the parts add up to 29.3 us and not to 24.3 us: the processors were not ours alone");
  parts.system_calls_and_sockets = one(36.9e6);
  CHECK(discord_of(parts, 29'300)->starts_with("the parts add up to 36.9 ms and not to 29.3 us"));
  parts.system_calls_and_sockets = one(5'000);
  parts.tcp_and_ip = one(0);
  CHECK(discord_of(parts, 25'300)->starts_with("a Unix socket took no less time than TCP"));
  auto study = study_of<Bypass>("bypass");
  study.invalid = discord_of(parts, 25'300);
  CHECK(text_report(study).find("\n  INVALID    a Unix socket took") != std::string::npos);
  CHECK(text_report(study).find("TCP and IP") == std::string::npos);
  const auto again = parse_document(json_document(study));
  REQUIRE(again.has_value());
  CHECK(std::get<Bypass>(*again).invalid == study.invalid);
}
