// What codecbench says of a library that it was built without.
#include <doctest/doctest.h>

#include <array>

#include "codecbench/left_out.h"

using namespace wiremark::tools;

namespace {

constexpr std::array kLibraries = {
    OptionalLibrary{"json", "rare", "librare-dev", false},
    OptionalLibrary{"json", "common", "libcommon-dev", true},
};

Selection select(std::vector<std::string> formats, std::vector<std::string> implementations,
                 std::vector<std::string> workloads = {"all"}) {
  Selection selection;
  selection.formats = std::move(formats);
  selection.implementations = std::move(implementations);
  selection.workloads = std::move(workloads);
  return selection;
}

}  // namespace

TEST_CASE("codecbench: a library that is not here is refused by name, with its package") {
  const std::string why = "rare is not in this build, which was made without librare-dev";
  CHECK(missing_library(select({"all"}, {"rare"}), kLibraries) == why);
  CHECK(missing_library(select({"json:common", "json:rare"}, {}), kLibraries) == why);
  CHECK_FALSE(missing_library(select({"all"}, {"all"}), kLibraries));
  CHECK_FALSE(missing_library(select({"json:common"}, {"common"}), kLibraries));
}

TEST_CASE("codecbench: all leaves out the rows of a library that is not here, and says so") {
  const std::vector<std::string> says = {
      "no rows of json:rare: this build was made without librare-dev"};
  CHECK(left_out(select({"all"}, {"all"}), kLibraries) == says);
  CHECK(left_out(select({"y3", "json"}, {"all"}, {"take"}), kLibraries) == says);
  CHECK(left_out(select({"all"}, {}), kLibraries).empty());
  CHECK(left_out(select({"y3"}, {"all"}), kLibraries).empty());
  CHECK(left_out(select({"all"}, {"all"}, {"envelope"}), kLibraries).empty());
}
