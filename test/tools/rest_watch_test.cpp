// When a server has done its part, and when it is not waited for any longer.
#include "netload/rest_watch.h"

#include <doctest/doctest.h>

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

TEST_CASE("a server has done its part when it has caught up and rests") {
  CHECK(watch([](Nanoseconds) { return ServerSeen{.caught_up = true}; }) == Ended{State::rests, 0});
  const auto busy_for = [](Nanoseconds length) {
    return watch([length](Nanoseconds at) {
      return ServerSeen{.caught_up = at >= length, .runs = at < 2 * length, .spent = at};
    });
  };
  CHECK(busy_for(200 * kMillisecond) == Ended{State::rests, 400 * kMillisecond});
}

TEST_CASE("a server that stands still is given a second since it ran last") {
  CHECK(watch([](Nanoseconds) { return ServerSeen{}; }) == Ended{State::behind, kSecond});
  CHECK(watch([](Nanoseconds at) { return ServerSeen{.caught_up = at >= 999 * kMillisecond}; }) ==
        Ended{State::rests, 999 * kMillisecond});
  CHECK(watch([](Nanoseconds at) {
          return ServerSeen{.runs = at % (500 * kMillisecond) == 0 && at < 4 * kSecond};
        }) == Ended{State::behind, 4'500 * kMillisecond});
}

TEST_CASE("a server that works gets as much of its own time as another that is held up") {
  for (const int slower : {1, 4}) {
    const auto share = [slower](Nanoseconds at) { return at / slower; };
    CHECK(watch([&](Nanoseconds at) {
            return ServerSeen{.caught_up = true, .runs = true, .spent = share(at)};
          }) == Ended{State::runs_on, slower * 300 * kMillisecond});
    CHECK(watch([&](Nanoseconds at) { return ServerSeen{.runs = true, .spent = share(at)}; }) ==
          Ended{State::behind, slower * kSecond});
    // What it took to catch up does not count against it.
    CHECK(watch([&](Nanoseconds at) {
            const Nanoseconds spent = share(at);
            return ServerSeen{.caught_up = spent >= 900 * kMillisecond,
                              .runs = spent < 1'100 * kMillisecond,
                              .spent = spent};
          }) == Ended{State::rests, slower * 1'100 * kMillisecond});
  }
}

TEST_CASE("a server that gets no processor is waited for ten seconds") {
  CHECK(watch([](Nanoseconds) { return ServerSeen{.caught_up = true, .runs = true}; }) ==
        Ended{State::runs_on, 10 * kSecond});
  CHECK(watch([](Nanoseconds) { return ServerSeen{.runs = true}; }) ==
        Ended{State::behind, 10 * kSecond});
}

TEST_CASE("a server is not waited for with a reason") {
  CHECK(why_unknown(State::rests).empty());
  CHECK(why_unknown(State::runs_on).find("spins") != std::string_view::npos);
  CHECK(why_unknown(State::behind).find("accept or close") != std::string_view::npos);
}
