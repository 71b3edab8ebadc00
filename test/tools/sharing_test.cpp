// Commands that share a load among generators, for one that is full.
#include "netload/sharing.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace wiremark;
using namespace wiremark::tools;

namespace {

bool has(const std::string& text, std::string_view part) {
  const bool found = text.find(part) != std::string::npos;
  CHECK_MESSAGE(found, text, " lacks ", part);
  return found;
}

// One of several that send 400,000 messages a second together.
FullGenerator full_of(std::vector<std::string> arguments, double sent_hz) {
  return {.arguments = std::move(arguments),
          .has_target = true,
          .share = {},
          .connections = 100,
          .wanted_hz = 400'000,
          .sent_hz = sent_hz,
          .threads = 1,
          .cores = 8};
}

}  // namespace

TEST_CASE("a plan that one generator cannot keep is shared among as many as can") {
  FullGenerator full =
      full_of({"netload", "-R", "400k", "--json=-", "--send", "it's %{n}", ":7001"}, 390'000);
  CHECK(has(how_to_share(full),
            "one generator is full: 2 could keep this plan, each with processors of its own, on "
            "this machine or others; start netload -R 400k --send 'it'\\''s %{n}' :7001 --share "
            "0/2 --start-at UNIXTIME"));
  CHECK(has(how_to_share(full), "netreport --expect 2 "));
  full.sent_hz = 100'000;  // 70,000 of it for each.
  CHECK(has(how_to_share(full), " --share 0/6 "));
  full.sent_hz = 9'000;
  CHECK(has(how_to_share(full), " --share 0/64 "));
  full.sent_hz = 8'900;  // No number of generators is the most.
  CHECK(has(how_to_share(full), " --share 0/65 "));
}

TEST_CASE("where a machine has too few processors for all shares, others have to help") {
  FullGenerator full = full_of({"netload", "-R", "400k", ":7001"}, 100'000);
  full.threads = 2;
  full.cores = 12;
  CHECK(has(how_to_share(full), "of its own, on this machine or others; start"));
  full.cores = 11;
  CHECK(has(how_to_share(full), "of its own, on other machines (this one has 11); start"));
}

TEST_CASE("a load is shared among no more generators than it has connections") {
  FullGenerator full = full_of({"netload", "-c", "5", "-R", "400k", ":7001"}, 100'000);
  full.connections = 6;
  CHECK(has(how_to_share(full), " --share 0/6 "));
  full.connections = 5;
  CHECK(how_to_share(full) ==
        "one generator is full: 6 could keep this plan, each with processors of its own, and a "
        "connection is of one of them: it takes 6 connections or more (-c)");
}

TEST_CASE("a rank that is full wants more ranks") {
  FullGenerator full = full_of({"netload", "--share", "0/2", "--start-fd", "3"}, 190'000);
  full.is_rank = true;
  full.share = {0, 2};
  CHECK(how_to_share(full) ==
        "one generator is full: 4 ranks could keep this plan, each with processors of its own");
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
  FullGenerator full =
      full_of({"netload", "--share", "1/3", "-R", "400k", "--start-at", "1795227505"}, 300'000);
  full.has_target = false;
  full.share = {1, 3};
  full.wanted_hz = 1'200'000;
  CHECK(has(how_to_share(full), "start netload -R 400k TARGET --share 0/6 "));
}
