// What a result says of the clock by which its answers were timed.
#include "netload/answer_timing.h"

#include <doctest/doctest.h>

using namespace wiremark;
using namespace wiremark::tools;

TEST_CASE("who did not ask the kernel says when answers are timed where they may be read later") {
  CHECK(evidence_of({}).empty());
  CHECK(evidence_of({.late = 20 * kMillisecond}) ==
        "answers are timed when they are read, up to 20ms later");
}

TEST_CASE("receive timestamps are said to be none for the reason that there is") {
  const AnswerTiming stream{.asked = true, .tells = true};
  AnswerTiming timing = stream;
  CHECK(evidence_of(timing) == "receive timestamps: none, for nothing came");
  timing.late = 100 * kMillisecond;
  CHECK(evidence_of(timing) == "receive timestamps: none, for nothing came");
  timing.tells = false;
  CHECK(evidence_of(timing) ==
        "receive timestamps: none from this kind of socket; answers are timed when they are read, "
        "up to 100ms later");
  timing = stream;
  timing.unstamped = 3;
  CHECK(evidence_of(timing) ==
        "receive timestamps: none of what came; answers are timed when they are read");
}

TEST_CASE("receive timestamps that were told count for all answers, or for a share of them") {
  AnswerTiming timing{.asked = true, .tells = true, .stamped = 3};
  CHECK(evidence_of(timing) ==
        "receive timestamps: answers are timed when the kernel received them");
  timing.unstamped = 1;
  timing.late = kMillisecond;
  CHECK(evidence_of(timing) ==
        "receive timestamps: 75 % of the answers are timed when the kernel received them, the "
        "others when they are read, up to 1ms later");
}
