// Handlers driven without a kernel: every split of a stream and every order of closing.
#include <doctest/doctest.h>

#include <functional>

#include "frame_echo.h"
#include "sim_pair.h"

using namespace wiremark;
using namespace wiremark::net;
using net::sim::Pair;

namespace {

const std::string kTwoFrames = frame("hello") + frame("a second frame");

Bytes part(const std::string& text, std::size_t from, std::size_t to) {
  return as_bytes(text).subspan(from, to - from);
}

/// Echoes frames, and in each callback does what the test says.
struct Scripted : FrameEcho {
  void on_open(Conn& conn) {
    FrameEcho::on_open(conn);
    if (at_open) at_open(conn);
  }
  std::size_t on_data(Conn& conn, Bytes bytes) {
    ++deliveries;
    const std::size_t used = FrameEcho::on_data(conn, bytes);
    if (at_data) at_data(conn);
    return used;
  }
  void on_close(Conn& conn, int error) {
    FrameEcho::on_close(conn, error);
    if (at_close) at_close(conn);
  }
  Nanoseconds on_turn(Nanoseconds) {
    if (at_turn) std::exchange(at_turn, nullptr)();
    return kNever;
  }

  std::function<void(Conn&)> at_open, at_data, at_close;
  std::function<void()> at_turn;
  int deliveries = 0;
};

}  // namespace

TEST_CASE("two frames cut at every pair of places come back whole") {
  for (std::size_t first = 0; first <= kTwoFrames.size(); ++first) {
    for (std::size_t second = first; second <= kTwoFrames.size(); ++second) {
      FrameEcho echo;
      Pair pair;
      pair.serve(echo);
      const auto conn = pair.open();
      pair.send(conn, part(kTwoFrames, 0, first));
      pair.send(conn, part(kTwoFrames, first, second));
      pair.send(conn, part(kTwoFrames, second, kTwoFrames.size()));
      REQUIRE(pair.clients.got[conn] == kTwoFrames);
      REQUIRE(echo.frames == 2);
      REQUIRE(pair.at_server(conn).stash.empty());
    }
  }
}

TEST_CASE("two frames that come byte by byte come back whole") {
  FrameEcho echo;
  Pair pair;
  pair.serve(echo);
  const auto conn = pair.open();
  for (std::size_t i = 0; i < kTwoFrames.size(); ++i) pair.send(conn, part(kTwoFrames, i, i + 1));
  CHECK(pair.clients.got[conn] == kTwoFrames);
}

TEST_CASE("a close in on_open, on_data or on_turn is announced once, after the callback") {
  for (const int place : {0, 1, 2}) {
    Scripted handler;
    Pair pair;
    pair.serve(handler);
    const auto close = [&](Conn& conn) {
      pair.server.close(conn, ECANCELED);
      pair.server.close(conn, 0);  // The first one counts.
      CHECK(handler.errors.empty());
    };
    if (place == 0) handler.at_open = close;
    if (place == 1) handler.at_data = close;
    const auto conn = pair.open();
    pair.send(conn, as_bytes(kTwoFrames));
    if (place == 2) handler.at_turn = [&] { close(pair.at_server(conn)); };
    pair.send(conn, as_bytes(kTwoFrames));
    CHECK(handler.errors == std::vector{ECANCELED});
    CHECK(handler.deliveries == place);
    CHECK(pair.server.connections() == 0);
    CHECK(pair.clients.got[conn].size() == (place == 2 ? 2 * kTwoFrames.size() : 0));
  }
}

TEST_CASE("a peer that closes at any byte gets the whole frames before it, and an orderly end") {
  for (std::size_t cut = 0; cut <= kTwoFrames.size(); ++cut) {
    FrameEcho echo;
    Pair pair;
    pair.serve(echo);
    const auto conn = pair.open();
    pair.send(conn, part(kTwoFrames, 0, cut));
    pair.end_sending();
    const std::size_t first = frame("hello").size();
    const std::size_t whole = cut < first ? 0 : cut < kTwoFrames.size() ? first : cut;
    REQUIRE(pair.clients.got[conn] == kTwoFrames.substr(0, whole));
    REQUIRE(echo.errors == std::vector{0});
    REQUIRE(pair.clients.errors == std::vector{0});
    REQUIRE(pair.server.connections() == 0);
  }
}

TEST_CASE("finish closes at once without pending output, and after the last byte with it") {
  for (const std::size_t room : {std::size_t{0}, std::size_t{3}, SIZE_MAX}) {
    const std::string filler = room == 0 ? "..." : "";
    Scripted handler;
    Pair pair({.path = {.window = room == 0 ? filler.size() : room}});
    pair.serve(handler);
    handler.at_open = [&](Conn& conn) { conn.append(as_bytes(filler)); };
    handler.at_data = [](Conn& conn) { conn.finish(); };
    if (room != SIZE_MAX) pair.clients.at_open = [](Conn& conn) { conn.pause(); };
    const auto conn = pair.open();
    pair.send(conn, as_bytes(kTwoFrames));
    pair.send(conn, as_bytes(kTwoFrames));  // Nothing more is read.
    CHECK(handler.errors.size() == (room == SIZE_MAX ? 1 : 0));
    if (room != SIZE_MAX) pair.client.resume(*pair.clients.conns.at(conn));
    pair.run();
    CHECK(handler.errors == std::vector{0});
    CHECK(pair.clients.got[conn] == filler + kTwoFrames);
    CHECK(handler.deliveries == 1);
  }
}

TEST_CASE("two connections that close one another are each announced once") {
  for (const bool in_on_close : {false, true}) {
    Scripted handler;
    Pair pair;
    pair.serve(handler);
    const auto first = pair.open();
    const auto second = pair.open();
    Conn& one = pair.at_server(first);
    Conn& two = pair.at_server(second);
    const auto close_other = [&](Conn& conn) {
      if (handler.errors.size() < 2) pair.server.close(&conn == &one ? two : one, EPIPE);
    };
    if (in_on_close) {
      handler.at_close = close_other;
      pair.server.close(one, EPIPE);
    } else {
      handler.at_data = [&](Conn& conn) {
        close_other(conn);
        pair.server.close(conn, EPIPE);
      };
      pair.post(first, as_bytes(kTwoFrames));
      pair.post(second, as_bytes(kTwoFrames));  // Closed already: not delivered.
    }
    pair.run();
    CHECK(handler.errors == std::vector{EPIPE, EPIPE});
    CHECK(handler.deliveries == (in_on_close ? 0 : 1));
    CHECK(pair.server.connections() == 0);
  }
}

TEST_CASE("a freed connection is handed out again as new") {
  FrameEcho echo;
  Pair pair;
  pair.serve(echo);
  const auto one = pair.open();
  Conn& first = pair.at_server(one);
  first.user = &echo;
  pair.send(one, part(kTwoFrames, 0, 6));
  pair.server.close(first, ECONNRESET);
  pair.run();
  const auto two = pair.open();
  Conn& second = pair.at_server(two);
  REQUIRE(&second == &first);
  CHECK(second.user == nullptr);
  CHECK(second.stash.empty());
  pair.send(two, as_bytes(kTwoFrames));
  CHECK(pair.clients.got[two] == kTwoFrames);
}
