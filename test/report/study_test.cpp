// Studies: documents of the tools are read, made again the same, and refused where they are wrong.
#include "report/study.h"

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

using namespace wiremark;
using namespace wiremark::report;

namespace {

using Json = nlohmann::ordered_json;

Json document_of(const char* name) {
  std::ifstream file(std::string(DOCUMENTS) + "/" + name + ".json");
  REQUIRE(file);
  return Json::parse(file);
}

std::string reason_against(const Json& document) {
  const auto study = parse_document(document.dump());
  return study ? std::string() : study.error().message();
}

void check_refused(const char* name, const char* place, const Json& value, const char* reason) {
  Json document = document_of(name);
  document[Json::json_pointer(place)] = value;
  CHECK(reason_against(document) == place + (" is " + std::string(reason)));
}

template <class Study>
Study study_of(const char* name) {
  auto document = parse_document(document_of(name).dump());
  REQUIRE_MESSAGE(document.has_value(), document.error().message());
  return std::get<Study>(std::move(*document));
}

template <class Study>
void check_same_again(const char* name) {
  const Study study = study_of<Study>(name);
  CHECK(nlohmann::json::parse(json_document(study)) == nlohmann::json(document_of(name)));
  CHECK(text_report(study).find("Linux") != std::string::npos);
}

}  // namespace

TEST_CASE("studies that netload has written before are read, and are the same when written") {
  check_same_again<Comparison>("comparison");
  check_same_again<MaxRate>("find_max");
  check_same_again<Bypass>("bypass");
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
  study.limit = "generator";
  const std::string text = text_report(study);
  for (const char* part :
       {"messages/s, kept in 1 of 2 probes: 49 (48 to 50) reached, p99 2.00 ms (1.00 ms to",
        "next       100: the generator", "limit      the generator"})
    CHECK_MESSAGE(text.find(part) != std::string::npos, text);
}
