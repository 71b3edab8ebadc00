// What the threads of a load count, asked while they run.
#include "netload/load_tally.h"

#include <doctest/doctest.h>

#include <thread>

using namespace wiremark;
using namespace wiremark::tools;

TEST_CASE("the oldest message is that of the thread that waits longest") {
  LoadTally tally(2);
  const net::Stop over;
  for (const Nanoseconds since : {Nanoseconds{7}, kNever}) {
    tally[0].oldest_ns = kNever;
    tally[1].oldest_ns = since;
    tally.ask_oldest();
    // Turns of the threads that answer.
    std::jthread turns([&] {
      for (std::size_t i = 0; i < 2; ++i) tally[i].ask_oldest = false;
    });
    const auto oldest = tally.oldest_since(over, kNever);
    CHECK(oldest == (since == kNever ? std::nullopt : std::optional(since)));
  }
}

TEST_CASE("nobody waits for threads of a load that is over, nor for long for those that are busy") {
  LoadTally tally(2);
  net::Stop over;
  tally[0].oldest_ns = 7;
  tally.ask_oldest();
  tally[0].ask_oldest = false;
  CHECK(tally.oldest_since(over, 0) == std::nullopt);
  over.request();
  CHECK(tally.oldest_since(over, kNever) == std::nullopt);
}
