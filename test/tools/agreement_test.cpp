// How ranks agree on a start, in simulated time.
#include "netload-mpi/agreement.h"

#include <doctest/doctest.h>

using namespace wiremark;
using namespace wiremark::tools;

namespace {

constexpr Nanoseconds kFirst = 500 * kMillisecond;
constexpr Nanoseconds kBegun = 1000 * kSecond;

void is_proposed(const std::optional<Agreement::Proposal>& proposal, int number, Nanoseconds lead) {
  REQUIRE(proposal.has_value());
  CHECK(proposal->number == number);
  CHECK(proposal->lead == lead);
}

}  // namespace

TEST_CASE("ranks that all answer begin at the first moment") {
  Agreement agreement(3);
  CHECK_FALSE(agreement.reached());  // Nobody has been told anything.
  is_proposed(agreement.propose(kBegun), 1, kFirst);
  for (const int rank : {2, 0, 1}) {
    CHECK_FALSE(agreement.reached());
    CHECK(agreement.missing().contains(rank));
    agreement.take(rank, 1, true);
  }
  CHECK(agreement.reached());
  CHECK_FALSE(agreement.propose(kBegun + kFirst));
  CHECK_FALSE(agreement.given_up());
}

TEST_CASE(
    "a silent rank has a quarter of the lead, then all are told a moment twice as far ahead") {
  Agreement agreement(2);
  is_proposed(agreement.propose(kBegun), 1, kFirst);
  agreement.take(0, 1, true);
  CHECK_FALSE(agreement.propose(kBegun + kFirst / 4 - 1));
  is_proposed(agreement.propose(kBegun + kFirst / 4), 2, 2 * kFirst);
  // Its answer to the first moment is none to the second, and who agreed to the first must again.
  agreement.take(1, 1, true);
  agreement.take(1, 1, false);
  CHECK_FALSE(agreement.propose(kBegun + kFirst / 4 + kFirst / 2 - 1));
  agreement.take(1, 2, true);
  CHECK_FALSE(agreement.reached());
  agreement.take(0, 2, true);
  CHECK(agreement.reached());
}

TEST_CASE("a rank that is too late has all told another moment at once") {
  Agreement agreement(2);
  is_proposed(agreement.propose(kBegun), 1, kFirst);
  agreement.take(1, 1, false);
  is_proposed(agreement.propose(kBegun + 1), 2, 2 * kFirst);
  CHECK_FALSE(agreement.propose(kBegun + 2));
}

TEST_CASE("a rank that never answers is given up after eight seconds, and named") {
  Agreement agreement(3);
  Nanoseconds now = kBegun;
  int proposals = 0;
  for (; !agreement.given_up(); now += kMillisecond) {
    if (const auto proposal = agreement.propose(now)) {
      CHECK(proposal->number == ++proposals);
      agreement.take(0, proposals, true);
      agreement.take(2, proposals, true);
    }
  }
  CHECK(proposals == 6);
  CHECK(now - kBegun > 7 * kSecond);
  CHECK(now - kBegun < 9 * kSecond);
  CHECK_FALSE(agreement.reached());
  CHECK(agreement.missing() == std::set<int>{1});
}
