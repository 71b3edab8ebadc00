// Which results are all the parts of one load.
#include "report/parts.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "sample_result.h"

namespace wiremark::report {

namespace {

const std::vector<std::string> kNames = {"a", "b", "c"};

std::vector<RunResult> parts_of(const std::vector<std::string>& shares) {
  std::vector<RunResult> runs;
  for (const std::string& share : shares) {
    runs.push_back(sample_result());
    runs.back().config.emplace_back("share", share);
  }
  return runs;
}

std::string refusal_of(const std::vector<RunResult>& runs, unsigned expected,
                       Nanoseconds skew_max = kMillisecond) {
  const auto skew = require_parts(runs, kNames, expected, skew_max);
  return skew ? "" : skew.error().message();
}

}  // namespace

TEST_CASE("each part is there once") {
  CHECK(refusal_of(parts_of({"1/3", "0/3", "2/3"}), 3) == "");
  CHECK(refusal_of(parts_of({"2/3", "0/3"}), 3) ==
        "2 of 3 parts, which are no whole; missing: 1/3");
  CHECK(refusal_of(parts_of({"0/2", "0/2"}), 2) == "a and b are both part 0/2");
  CHECK(refusal_of(parts_of({"0/2", "1/3"}), 2) == "b is part 1/3, not one of 2");
}

TEST_CASE("results of no share are counted") {
  CHECK(refusal_of(parts_of({"0/1", "0/1"}), 2) == "");
  CHECK(refusal_of(parts_of({"0/2", "0/1"}), 2) ==
        "2 of 2 parts, which are no whole; missing: 1/2");
  CHECK(refusal_of(parts_of({"0/1", "0/1"}), 3) == "2 of 3 parts, which are no whole");
}

TEST_CASE("parts have every option in common but their share") {
  for (const char* share : {"1/2", "0/1"}) {
    auto runs = parts_of({share == std::string("0/1") ? "0/1" : "0/2", share});
    CHECK(refusal_of(runs, 2) == "");
    auto more = runs;
    more[1].config.emplace_back("expect", "same");
    CHECK(refusal_of(more, 2) ==
          "a and b are not parts of one load: the option expect is 'not given' and 'same'");
    for (std::size_t i = 0; i < runs[1].config.size(); ++i) {
      const auto& [name, value] = runs[1].config[i];
      if (name == "share") continue;
      CAPTURE(name);
      auto other = runs;
      other[1].config[i].second = "another";
      CHECK(refusal_of(other, 2) == "a and b are not parts of one load: the option " + name +
                                        " is '" + value + "' and 'another'");
    }
    runs[1].latency.from = "send";
    CHECK(refusal_of(runs, 2).ends_with(": the option latency-from is 'schedule' and 'send'"));
  }
}

TEST_CASE("the skew is from the first beginning to the last") {
  auto runs = parts_of({"0/3", "1/3", "2/3"});
  runs[1].measured_from = *runs[1].measured_from - 0.25;
  runs[2].measured_from = *runs[2].measured_from + 0.5;
  const auto skew = require_parts(runs, kNames, 3, kSecond);
  REQUIRE(skew);
  CHECK(*skew == kSecond * 3 / 4);
  CHECK(refusal_of(runs, 3).starts_with("c began 750 ms after b, and --max-skew is 1.00 ms"));
  runs[1].measured_from.reset();
  CHECK(refusal_of(runs, 3) == "b does not say when it began (measured_from)");
}

}  // namespace wiremark::report
