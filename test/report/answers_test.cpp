// Whether the answers of two runs are of one kind, and which are none that a page was asked for.
#include "report/answers.h"

#include <doctest/doctest.h>

#include "sample_result.h"

using namespace wiremark;
using namespace wiremark::report;

TEST_CASE("answers are alike where they differ by no more than 1 % and chance") {
  const KindCounts pages = {{"200", 10'000}};
  const KindCounts redirects = {{"302", 400}};
  const auto unlike = unlike_answers(pages, redirects);
  REQUIRE(unlike);
  CHECK(unlike->kind == "200");
  CHECK(unlike->one_pct == 100);
  CHECK(unlike->other_pct == 0);
  CHECK_FALSE(unlike_answers(pages, pages));
  CHECK_FALSE(unlike_answers(pages, {}));
  CHECK_FALSE(unlike_answers({}, pages));
  // 1 % and three deviations of 0.1 % each.
  CHECK_FALSE(unlike_answers(pages, {{"200", 9'880}, {"302", 120}}));
  CHECK(unlike_answers(pages, {{"200", 9'800}, {"302", 200}}));
  // Of few answers a share is uncertain: it has 15 % of deviation here.
  CHECK_FALSE(unlike_answers({{"200", 15}, {"302", 5}}, {{"200", 10}, {"302", 10}}));
  CHECK(unlike_answers({{"200", 18}, {"302", 2}}, {{"200", 2}, {"302", 18}}));
}

TEST_CASE("a share of hits is compared with that of another store, and not with statuses") {
  const KindCounts filled = {{"hit", 10'000}};
  CHECK(unlike_answers(filled, {{"miss", 10'000}}));
  CHECK(unlike_answers({{"hit", 900}, {"miss", 100}}, {{"hit", 500}, {"miss", 500}}));
  CHECK_FALSE(unlike_answers(filled, {{"hit", 500}}));
  CHECK_FALSE(unlike_answers(filled, {{"200", 10'000}}));
  CHECK_FALSE(unlike_answers({{"NOERROR", 10'000}}, {{"miss", 10'000}}));
}

TEST_CASE("the kind that differs most is named") {
  const auto unlike = unlike_answers({{"200", 700}, {"301", 300}}, {{"200", 500}, {"503", 500}});
  REQUIRE(unlike);
  CHECK(unlike->kind == "503");
  CHECK(unlike->other_pct == 50);
}

TEST_CASE("redirects are no pages, unless they are wanted") {
  RunResult result = sample_result();
  CHECK(unwanted_statuses(result).empty());
  result.answers = {{"200", 2'000}, {"301", 1'000}, {"304", 5}};
  CHECK(unwanted_statuses(result) ==
        "1,005 of 3,005 answers had a status of 3xx (301 1,000, 304 5), which no "
        "--expect-status names");
  result.config.emplace_back("expect-status", "2xx,3xx");
  CHECK(unwanted_statuses(result).empty());
  result.answers.reset();
  CHECK(unwanted_statuses(result).empty());
}

TEST_CASE("answers without a single success are told, with what they were") {
  RunResult result = sample_result();
  const auto told = [&](KindCounts answers) {
    result.answers = std::move(answers);
    return without_success(result);
  };
  CHECK(told({{"200", 1}, {"404", 9}}).empty());
  CHECK(told({{"NOERROR truncated", 1}, {"SERVFAIL", 9}}).empty());
  CHECK(told({}).empty());
  CHECK(told({{"302", 5}}) ==
        "no answer had a status of 2xx (302 5): --expect-status names those that are wanted");
  CHECK(told({{"hit", 1}, {"miss", 9}}).empty());
  CHECK(told({{"miss", 2'000}}) ==
        "not one of 2,000 reads found what it asked for: is the server filled?");
  CHECK(told({{"NXDOMAIN", 5}, {"SERVFAIL", 9}}) ==
        "no answer was NOERROR (NXDOMAIN 5, SERVFAIL 9)");
  result.config.emplace_back("expect-status", "404");
  CHECK(told({{"404", 9}}).empty());
}

TEST_CASE("the answers of all rounds are added") {
  RunResult one = sample_result(), other = one, silent = one;
  one.answers = {{"200", 3}};
  other.answers = {{"404", 1}, {"200", 2}};
  silent.answers.reset();
  CHECK(answers_of({one, other, silent}) == KindCounts{{"200", 5}, {"404", 1}});
}
