// Connections that are idle or hold too much, in simulated time.
#include <doctest/doctest.h>

#include <map>

#include "frame_echo.h"
#include "sim_pair.h"

using namespace wiremark;
using namespace wiremark::net;
using net::sim::Keeping;
using net::sim::Pair;

namespace {

constexpr Nanoseconds kTimeout = 8 * kSecond;

sim::EndOptions with_timeout(std::size_t window = sim::Path{}.window) {
  sim::EndOptions options;
  options.reactor.idle_timeout = kTimeout;
  options.path.window = window;
  return options;
}

sim::EndOptions with_limit(std::size_t limit) {
  sim::EndOptions options;
  options.reactor.memory_limit = limit;
  return options;
}

}  // namespace

TEST_CASE("an idle connection ends after its time, and a quarter of it later at most") {
  for (const Nanoseconds opened : {Nanoseconds{0}, kSecond / 3, 3 * kSecond}) {
    Keeping pair(with_timeout());
    Nanoseconds ended = 0;
    pair.servers.at_close = [&](Conn&) { ended = pair.server.now(); };
    pair.run(opened);
    const auto conn = pair.connect();
    pair.run(opened + kTimeout - kMillisecond);
    REQUIRE(pair.clients.conns.contains(conn));
    CHECK(pair.servers.errors.empty());
    pair.run(opened + 3 * kTimeout);
    CHECK(pair.servers.errors == std::vector{kEndedIdle});
    CHECK(pair.clients.errors == std::vector{0});
    CHECK(ended >= opened + kTimeout);
    CHECK(ended <= opened + kTimeout + kTimeout / 4 + kSecond);
  }
}

TEST_CASE("one byte now and then keeps a connection, in whichever direction") {
  for (const bool to_server : {true, false}) {
    CAPTURE(to_server);
    Keeping pair(with_timeout());
    const auto conn = pair.connect();
    pair.run(kSecond);
    for (int i = 1; i <= 10; ++i) {
      if (to_server) {
        pair.post(conn, as_bytes("x"));
      } else {
        pair.at_server(conn).append(as_bytes("x"));
        pair.server.flush(pair.at_server(conn));
      }
      pair.run(kSecond + i * (kTimeout - kSecond / 10));
      REQUIRE(pair.servers.errors.empty());
    }
    pair.run(kSecond + 13 * kTimeout);
    CHECK(pair.servers.errors == std::vector{kEndedIdle});
  }
}

TEST_CASE("a client that does not read its answers is idle") {
  constexpr std::size_t kWindow = 1'000;
  Pair pair(with_timeout(kWindow));
  FrameEcho echo;
  pair.serve(echo);
  pair.clients.at_open = [](Conn& conn) { conn.pause(); };
  const auto conn = pair.connect();
  pair.run(kSecond);
  pair.post(conn, as_bytes(frame(noise(3 * kWindow))));
  pair.run(kTimeout - kSecond);
  CHECK(echo.errors.empty());
  pair.run(4 * kTimeout);
  CHECK(echo.errors == std::vector{kEndedIdle});
}

TEST_CASE("connections of our own do not end for being idle") {
  Keeping pair({}, with_timeout());
  const auto conn = pair.connect();
  pair.run(10 * kTimeout);
  CHECK(pair.clients.conns.contains(conn));
}

TEST_CASE("those that hold most memory end where all hold too much, and no others") {
  constexpr std::size_t kLimit = 100'000;
  Pair pair(with_limit(kLimit));
  FrameEcho echo;
  pair.serve(echo);
  std::map<std::uint64_t, std::size_t> stuck;  // Begins a frame of 60,000 bytes, and no more.
  const std::string begun = frame(noise(60'000));
  for (const std::size_t size : {5'000u, 30'000u, 10'000u, 25'000u, 15'000u}) {
    const auto conn = pair.open();
    stuck[conn] = size;
    pair.send(conn, as_bytes(begun).first(size));
  }
  CHECK(echo.errors.empty());
  const auto good = pair.open();
  pair.send(good, as_bytes(frame("hello")));
  const auto worst = pair.open();
  pair.send(worst, as_bytes(begun).first(50'000));
  CHECK(echo.errors == std::vector{kEndedForMemory});
  CHECK_FALSE(pair.clients.conns.contains(worst));
  for (const auto& [conn, size] : stuck) CHECK(pair.clients.conns.contains(conn));
  pair.send(good, as_bytes(frame("again")));
  CHECK(pair.clients.got[good] == frame("hello") + frame("again"));
}

TEST_CASE("what was ended for memory leaves an eighth of the limit free") {
  constexpr std::size_t kLimit = 100'000, kEach = 20'000;
  Pair pair(with_limit(kLimit));
  FrameEcho echo;
  pair.serve(echo);
  const std::string begun = frame(noise(60'000));
  std::vector<std::uint64_t> conns;
  for (int i = 0; i < 40; ++i) {
    conns.push_back(pair.open());
    pair.send(conns.back(), as_bytes(begun).first(kEach));
    std::size_t held = 0;
    for (const std::uint64_t conn : conns) {
      if (pair.clients.conns.contains(conn)) held += pair.at_server(conn).stash.held();
    }
    REQUIRE(held <= kLimit);
  }
  CHECK(pair.server.connections() >= 4);
  CHECK(echo.errors.size() + pair.server.connections() == conns.size());
}
