// The text of netprobe has 80 columns, and its document is JSON whatever stands in it.
#include "probe/report.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

namespace wiremark::probe {
namespace {

Report sample() {
  return {.version = "1",
          .machine = std::string(100, 'm') + " and " + std::string(50, 'n'),
          .findings = {{"network", "one", Answer::no_effect, std::string(70, 'e'), "do \"this\""},
                       {"network", "two", Answer::untried, "line\nbreak\x1B[2J\xFF",
                        std::string(90, 'c')}},
          .command = "netload",
          .obstacle = "too few"};
}

TEST_CASE("no line of the text is longer than 80 columns, and nothing is cut off") {
  const std::string text = text_of(sample());
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
  CHECK(std::ranges::count(text, 'e') >= 70);
  CHECK(std::ranges::count(text, 'c') >= 90);
  CHECK(text.contains(R"(line\nbreak\x1b[2J\xff)"));
}

TEST_CASE("the document says the same as the findings") {
  const auto document = nlohmann::json::parse(json_of(sample()));
  CHECK(document["schema"] == "wiremark.probe/1");
  CHECK(document["can_run"] == false);
  CHECK(document["findings"][0]["answer"] == "no effect");
  CHECK(document["findings"][0]["change"] == "do \"this\"");
  CHECK(document["findings"][1]["evidence"] == R"(line\nbreak\x1b[2J\xff)");
  CHECK(document["findings"][1]["answer"] == "not tried");
}

}  // namespace
}  // namespace wiremark::probe
