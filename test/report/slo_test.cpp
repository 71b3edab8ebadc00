// Objectives are read as users write them, and kept or broken by the figures they name.
#include "report/slo.h"

#include <doctest/doctest.h>

#include "sample_result.h"

using namespace wiremark::measure;
using namespace wiremark::report;

namespace {

Check check_of(const char* text, const RunResult& result) {
  const auto objectives = parse_objectives(text);
  REQUIRE(objectives.has_value());
  REQUIRE(objectives->size() == 1);
  return check(objectives->front(), result);
}

// 1 to 100 us, each value in a bucket of its own.
RunResult hundred() {
  Histogram histogram;
  for (wiremark::Nanoseconds us = 1; us <= 100; ++us) histogram.record(us * 1'000);
  RunResult result = sample_result();
  result.latency = summarize(histogram, "schedule");
  return result;
}

}  // namespace

TEST_CASE("a list of objectives is read") {
  const auto objectives = parse_objectives("p99<2ms,p99.9<=10ms,mean<500us,max<1s,errors<1");
  REQUIRE(objectives.has_value());
  REQUIRE(objectives->size() == 5);
  CHECK(objectives->at(0).percent == 99);
  CHECK(objectives->at(0).limit == 2e6);
  CHECK_FALSE(objectives->at(0).inclusive);
  CHECK(objectives->at(1).percent == 99.9);
  CHECK(objectives->at(1).inclusive);
  CHECK(objectives->at(2).figure == Objective::Figure::mean);
  CHECK(objectives->at(3).figure == Objective::Figure::max);
  CHECK(objectives->at(4).figure == Objective::Figure::errors);
  CHECK(objectives->at(4).text == "errors<1");
}

TEST_CASE("what is no objective is refused with its text") {
  for (const char* text :
       {"", "p99", "p99<", "p99>2ms", "p101<2ms", "q99<2ms", "p<2ms", "<2ms", "p99<2", "mean<0.5",
        "p99<2x", "p99<2ms,", ",p99<2ms", "errors<2ms", "p99<<2ms"}) {
    CAPTURE(text);
    const auto objectives = parse_objectives(text);
    REQUIRE_FALSE(objectives);
    const std::string said = objectives.error().message();
    const bool lacks_unit = said.find("has no unit") != std::string::npos;
    CHECK(lacks_unit == (std::string_view(text) == "p99<2" || text[0] == 'm'));
    CHECK((lacks_unit || said.find("p99<2ms") != std::string::npos));
  }
}

TEST_CASE("each figure is compared with its limit") {
  const RunResult result = hundred();
  CHECK(check_of("p50<51us", result).passed);
  CHECK_FALSE(check_of("p50<50us", result).passed);
  CHECK(check_of("p90<91us", result).passed);
  CHECK_FALSE(check_of("p90<90us", result).passed);
  CHECK(check_of("max<=100us", result).passed);
  CHECK_FALSE(check_of("max<100us", result).passed);
  CHECK(check_of("p100<=100us", result).passed);
  CHECK(check_of("mean<51us", result).passed);
  CHECK_FALSE(check_of("mean<50us", result).passed);
  CHECK(check_of("p50<51us", result).name == "slo p50<51us");
  CHECK(check_of("p99<1ms", result).detail.find("rests on 1 of 100") != std::string::npos);
}

TEST_CASE("errors are counted, all kinds together") {
  RunResult result = hundred();
  CHECK(check_of("errors<1", result).passed);
  result.totals.errors = {{"timeout", 2}, {"reset", 1}};
  CHECK(check_of("errors<=3", result).passed);
  CHECK_FALSE(check_of("errors<3", result).passed);
  // Each of them may have cost its message, which is not counted twice.
  result.outcome->lost = 3;
  CHECK(check_of("errors<=3", result).passed);
}

TEST_CASE("a message that was lost without an error is one") {
  RunResult result = hundred();
  result.outcome->lost = 2;
  CHECK_FALSE(check_of("errors<2", result).passed);
  CHECK(check_of("errors<2", result).detail == "0 errors, 2 messages never answered in time");
  CHECK(check_of("errors<=2", result).passed);
}

TEST_CASE("a message that was lost is later than any limit, with a rate and without") {
  RunResult result = hundred();
  CHECK(check_of("max<100m", result).passed);
  result.outcome->lost = 100;
  for (const bool open_loop : {true, false}) {
    if (!open_loop) result.pacing.reset();
    CHECK(check_of("p50<101us", result).passed);
    CHECK_FALSE(check_of("p25<50us", result).passed);
    CHECK(check_of("p25<51us", result).passed);
    CHECK_FALSE(check_of("p51<100m", result).passed);
    CHECK_FALSE(check_of("mean<100m", result).passed);
    CHECK_FALSE(check_of("max<100m", result).passed);
  }
}

TEST_CASE("without a message nothing is kept") {
  RunResult result = hundred();
  result.latency = summarize(Histogram(), "schedule");
  for (const char* objective : {"p99<1m", "mean<1m", "max<1m", "errors<1"}) {
    CHECK_FALSE(check_of(objective, result).passed);
    CHECK(check_of(objective, result).detail == "no message was measured");
  }
}
