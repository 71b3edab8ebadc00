// When a server has done its part, and when it is not waited for any longer.
#include "netload/rest_watch.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace wiremark;
using namespace wiremark::tools;
using State = RestWatch::State;

namespace {

/// Looks each ms at a server that is `seen` then; returns what it comes to, and when.
std::pair<State, Nanoseconds> watch(const auto& seen) {
  RestWatch watch;
  for (Nanoseconds at = 0;; at += kMillisecond) {
    ServerSeen now = seen(at);
    now.at = at;
    if (const State state = watch.see(now); state != State::works) return {state, at};
  }
}

using Ended = std::pair<State, Nanoseconds>;

}  // namespace

TEST_CASE("a server has done its part when it has nothing left and rests") {
  CHECK(watch([](Nanoseconds) { return ServerSeen{}; }) == Ended{State::rests, 0});
  CHECK(watch([](Nanoseconds at) {
          return ServerSeen{
              .left = at < 200 * kMillisecond, .runs = at < 400 * kMillisecond, .spent = at};
        }) == Ended{State::rests, 400 * kMillisecond});
}

TEST_CASE("a server that rests with something left is given a second of rest") {
  CHECK(watch([](Nanoseconds) { return ServerSeen{.left = 1}; }) == Ended{State::behind, kSecond});
  CHECK(watch([](Nanoseconds at) { return ServerSeen{.left = at < 999 * kMillisecond}; }) ==
        Ended{State::rests, 999 * kMillisecond});
  // What it does about other things, each half second: none of the 1 ms before and after is rest.
  CHECK(watch([](Nanoseconds at) {
          return ServerSeen{.left = 1, .runs = at % (500 * kMillisecond) == 0};
        }) == Ended{State::behind, 1'005 * kMillisecond});
}

TEST_CASE("a server that was stopped does not rest, and is not waited for without end") {
  CHECK(watch([](Nanoseconds at) {
          const bool stopped = at < 9 * kSecond;
          return ServerSeen{.left = at < 9'500 * kMillisecond, .stopped = stopped};
        }) == Ended{State::rests, 9'500 * kMillisecond});
  CHECK(watch([](Nanoseconds) { return ServerSeen{.left = 1, .stopped = true}; }) ==
        Ended{State::behind, 10 * kSecond});
  CHECK(watch([](Nanoseconds) { return ServerSeen{.stopped = true}; }) == Ended{State::rests, 0});
}

TEST_CASE("a server that comes on with what is left is given as much anew") {
  const auto slowly = [](Nanoseconds each) {
    return [each](Nanoseconds at) {
      return ServerSeen{.left = 4 - static_cast<std::size_t>(std::min(at / each, Nanoseconds{4}))};
    };
  };
  CHECK(watch(slowly(900 * kMillisecond)) == Ended{State::rests, 3'600 * kMillisecond});
  CHECK(watch(slowly(1'100 * kMillisecond)) == Ended{State::behind, kSecond});
  const auto working = [&](Nanoseconds at) {
    ServerSeen seen = slowly(900 * kMillisecond)(at);
    seen.runs = seen.left > 0;
    seen.spent = at;
    return seen;
  };
  CHECK(watch(working) == Ended{State::rests, 3'600 * kMillisecond});
  // Others that connect meanwhile are not less to do.
  CHECK(watch([](Nanoseconds at) {
          return ServerSeen{.left = 2 + static_cast<std::size_t>(at / kMillisecond % 2)};
        }) == Ended{State::behind, kSecond});
}

TEST_CASE("a server that works gets as much of its own time as another that is held up") {
  for (const int slower : {1, 4}) {
    const auto share = [slower](Nanoseconds at) { return at / slower; };
    CHECK(watch([&](Nanoseconds at) { return ServerSeen{.runs = true, .spent = share(at)}; }) ==
          Ended{State::runs_on, slower * 300 * kMillisecond});
    CHECK(watch([&](Nanoseconds at) {
            return ServerSeen{.left = 1, .runs = true, .spent = share(at)};
          }) == Ended{State::behind, slower * kSecond});
    // What it took until nothing was left does not count against it.
    CHECK(watch([&](Nanoseconds at) {
            const Nanoseconds spent = share(at);
            return ServerSeen{.left = spent < 900 * kMillisecond,
                              .runs = spent < 1'100 * kMillisecond,
                              .spent = spent};
          }) == Ended{State::rests, slower * 1'100 * kMillisecond});
  }
}

TEST_CASE("a server that gets no processor is waited for ten seconds") {
  CHECK(watch([](Nanoseconds) { return ServerSeen{.runs = true}; }) ==
        Ended{State::runs_on, 10 * kSecond});
  CHECK(watch([](Nanoseconds) { return ServerSeen{.left = 1, .runs = true}; }) ==
        Ended{State::behind, 10 * kSecond});
}

TEST_CASE("a server is not waited for with a reason") {
  CHECK(why_unknown(State::rests).empty());
  CHECK(why_unknown(State::runs_on).find("spins") != std::string_view::npos);
  CHECK(why_unknown(State::behind).find("accept or close") != std::string_view::npos);
}
