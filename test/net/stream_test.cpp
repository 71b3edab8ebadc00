// Handlers driven without a kernel: every split of a stream and every order of closing.
#include <doctest/doctest.h>

#include <functional>

#include "frame_echo.h"
#include "memory_reactor.h"

using namespace wiremark;
using namespace wiremark::net;

namespace {

const std::string kTwoFrames = frame("hello") + frame("a second frame");

Bytes part(const std::string& text, std::size_t from, std::size_t to) {
  return as_bytes(text).subspan(from, to - from);
}

/// Does at each call what the test says; echoes the rest.
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
      MemoryReactor reactor(echo);
      Conn& conn = reactor.open();
      reactor.deliver(conn, part(kTwoFrames, 0, first));
      reactor.deliver(conn, part(kTwoFrames, first, second));
      reactor.deliver(conn, part(kTwoFrames, second, kTwoFrames.size()));
      REQUIRE(reactor.sent[conn.fd] == kTwoFrames);
      REQUIRE(echo.frames == 2);
      REQUIRE(conn.stash.empty());
    }
  }
}

TEST_CASE("two frames that come byte by byte come back whole") {
  FrameEcho echo;
  MemoryReactor reactor(echo);
  Conn& conn = reactor.open();
  for (std::size_t i = 0; i < kTwoFrames.size(); ++i)
    reactor.deliver(conn, part(kTwoFrames, i, i + 1));
  CHECK(reactor.sent[conn.fd] == kTwoFrames);
}

TEST_CASE("a close in on_open, on_data or on_turn is announced once, after the callback") {
  for (const int place : {0, 1, 2}) {
    Scripted handler;
    MemoryReactor reactor(handler);
    const auto close = [&](Conn& conn) {
      reactor.close(conn, ECANCELED);
      reactor.close(conn, 0);  // The first one counts.
      CHECK(handler.errors.empty());
    };
    if (place == 0) handler.at_open = close;
    if (place == 1) handler.at_data = close;
    Conn& conn = reactor.open();
    if (place == 2) handler.at_turn = [&] { close(conn); };
    reactor.deliver(conn, as_bytes(kTwoFrames));
    reactor.deliver(conn, as_bytes(kTwoFrames));
    reactor.turn();
    reactor.turn();
    CHECK(handler.errors == std::vector{ECANCELED});
    CHECK(handler.deliveries == place);
    CHECK(reactor.connections() == 0);
    CHECK(reactor.sent[0].size() == (place == 2 ? 2 * kTwoFrames.size() : 0));
  }
}

TEST_CASE("a peer that closes at any byte gets the whole frames before it, and an orderly end") {
  for (std::size_t cut = 0; cut <= kTwoFrames.size(); ++cut) {
    FrameEcho echo;
    MemoryReactor reactor(echo);
    Conn& conn = reactor.open();
    reactor.deliver(conn, part(kTwoFrames, 0, cut));
    reactor.peer_closes(conn);
    reactor.turn();
    const std::size_t first = frame("hello").size();
    const std::size_t whole = cut < first ? 0 : cut < kTwoFrames.size() ? first : cut;
    REQUIRE(reactor.sent[0] == kTwoFrames.substr(0, whole));
    REQUIRE(echo.errors == std::vector{0});
    REQUIRE(reactor.connections() == 0);
  }
}

TEST_CASE("finish closes at once without pending output, and after the last byte with it") {
  for (const std::size_t room : {std::size_t{0}, std::size_t{3}, SIZE_MAX}) {
    Scripted handler;
    MemoryReactor reactor(handler);
    reactor.room = room;
    handler.at_data = [](Conn& conn) { conn.finish(); };
    Conn& conn = reactor.open();
    reactor.deliver(conn, as_bytes(kTwoFrames));
    reactor.deliver(conn, as_bytes(kTwoFrames));  // Nothing more is read.
    reactor.turn();
    CHECK(handler.errors.size() == (room == SIZE_MAX ? 1 : 0));
    reactor.room = SIZE_MAX;
    if (room != SIZE_MAX) reactor.flush(conn);
    reactor.turn();
    CHECK(handler.errors == std::vector{0});
    CHECK(reactor.sent[0] == kTwoFrames);
    CHECK(handler.deliveries == 1);
  }
}

TEST_CASE("two connections that close one another are each announced once") {
  for (const bool in_on_close : {false, true}) {
    Scripted handler;
    MemoryReactor reactor(handler);
    Conn& one = reactor.open();
    Conn& two = reactor.open();
    const auto close_other = [&](Conn& conn) {
      if (handler.errors.size() < 2) reactor.close(&conn == &one ? two : one, EPIPE);
    };
    if (in_on_close)
      handler.at_close = close_other;
    else
      handler.at_data = close_other;
    if (in_on_close) {
      reactor.close(one, EPIPE);
    } else {
      reactor.deliver(one, as_bytes(kTwoFrames));
      reactor.deliver(two, as_bytes(kTwoFrames));  // Closed already: not delivered.
      reactor.close(one, EPIPE);
    }
    reactor.turn();
    CHECK(handler.errors == std::vector{EPIPE, EPIPE});
    CHECK(reactor.connections() == 0);
  }
}

TEST_CASE("a freed connection is handed out again as new") {
  FrameEcho echo;
  MemoryReactor reactor(echo);
  Conn& first = reactor.open();
  first.user = &echo;
  reactor.deliver(first, part(kTwoFrames, 0, 6));
  reactor.close(first, ECONNRESET);
  reactor.turn();
  Conn& second = reactor.open();
  REQUIRE(&second == &first);
  CHECK(second.user == nullptr);
  CHECK(second.stash.empty());
  reactor.deliver(second, as_bytes(kTwoFrames));
  CHECK(reactor.sent[second.fd] == kTwoFrames);
}
