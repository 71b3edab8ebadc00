// Commands that share a load among generators, for one that is full.
#include "netload/sharing.h"

#include <doctest/doctest.h>

using namespace wiremark;
using namespace wiremark::tools;

namespace {

bool has(const std::string& text, std::string_view part) {
  const bool found = text.find(part) != std::string::npos;
  CHECK_MESSAGE(found, text, " lacks ", part);
  return found;
}

}  // namespace

TEST_CASE("a plan that one generator cannot keep is shared among as many as can") {
  FullGenerator full{
      .arguments = {"netload", "-R", "400k", "--json=-", "--send", "it's %{n}", ":7001"},
      .has_target = true,
      .share = {},
      .wanted_hz = 400'000,
      .reached_hz = 390'000};
  CHECK(has(how_to_share(full),
            "start netload -R 400k --send 'it'\\''s %{n}' :7001 --share 0/2 --start-at UNIXTIME"));
  CHECK(has(how_to_share(full), "netreport --expect 2 "));
  full.reached_hz = 100'000;  // 70,000 of it for each.
  CHECK(has(how_to_share(full), " --share 0/6 "));
  full.reached_hz = 0;
  CHECK(has(how_to_share(full), " --share 0/64 "));
}

TEST_CASE("what a run writes is not written over by its shares") {
  const std::vector<std::string> common = {"netload", "-R", "9", ":7001"};
  const std::vector<std::string> values = {"netload", "--csv",     "a.csv", "-R",
                                           "9",       "--hdr-log", "a.log", "--hgrm",
                                           "a",       ":7001",     "--json"};
  CHECK(what_shares_have_in_common(values) == common);
  const std::vector<std::string> joined = {
      "netload",      "--csv=a.csv",  "-R",       "9",        "--hdr-log=a.log",
      "--hgrm=a",     ":7001",        "--json=-", "--html=a", "--share=0/2",
      "--json-lines", "--start-at=9", "--html",   "--share",  "0/3"};
  CHECK(what_shares_have_in_common(joined) == common);
}

TEST_CASE("a share that is full is shared again, and a server must be named") {
  const FullGenerator full{
      .arguments = {"netload", "--share", "1/3", "-R", "400k", "--start-at", "1795227505"},
      .has_target = false,
      .share = {1, 3},
      .wanted_hz = 400'000,
      .reached_hz = 300'000};
  CHECK(has(how_to_share(full), "start netload -R 400k TARGET --share 0/6 "));
}
