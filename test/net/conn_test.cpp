// Conn's order of bytes against a string, and feed()'s promise not to copy.
#include "net/conn.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <string>

#include "net/epoll_conn.h"
#include "net/handler.h"
#include "net/uring_conn.h"

using namespace wiremark;
using namespace wiremark::net;

namespace {

/// Consumes what the test says and remembers what it saw.
struct Picky {
  void on_open(Conn&) {}
  std::size_t on_data(Conn&, Bytes bytes) {
    seen = bytes;
    text = as_text(bytes);
    return std::min(consumes, bytes.size());
  }
  void on_close(Conn&, int) {}
  Nanoseconds on_turn(Nanoseconds) { return kNever; }

  std::size_t consumes = 0;
  Bytes seen{};
  std::string text{};
};

}  // namespace

TEST_CASE("a connection is one cache line, whoever keeps it") {
  CHECK(sizeof(EpollConn) == 64);
  CHECK(alignof(EpollConn) == 64);
  CHECK(sizeof(UringConn) == 64);
  CHECK(alignof(UringConn) == 64);
}

TEST_CASE("lent and appended bytes leave in the order they were given") {
  std::mt19937 random(11);
  Conn conn;
  std::string model;
  std::deque<std::string> memory;  // Lent bytes must stay until they are sent.
  for (int step = 0; step < 20'000; ++step) {
    switch (random() % 4) {
      case 0:
      case 1: {
        const std::string& piece = memory.emplace_back(random() % 200, static_cast<char>(random()));
        if (random() % 2)
          conn.lend(as_bytes(piece));
        else
          conn.append(as_bytes(piece));
        model += piece;
        break;
      }
      case 2:
        conn.copy_lent();
        REQUIRE(conn.lent_size == 0);
        break;
      case 3: {  // The kernel takes some, as a flush does.
        const Bytes bytes = conn.lent_size > 0 ? conn.lent() : conn.out.view();
        const std::size_t taken = random() % (bytes.size() + 1);
        REQUIRE(as_text(bytes.first(taken)) == model.substr(0, taken));
        model.erase(0, taken);
        if (conn.lent_size > 0) {
          conn.lent_size = 0;
          conn.out.append(bytes.subspan(taken));
        } else {
          conn.out.consume(taken);
        }
      }
    }
    REQUIRE(conn.out.size() + conn.lent_size == model.size());
    if (conn.lent_size == 0) memory.clear();
  }
  conn.copy_lent();
  CHECK(as_text(conn.out.view()) == model);
}

TEST_CASE("only the first bytes of an idle connection are lent") {
  Conn conn;
  const std::string text = "abcdef";
  conn.lend(as_bytes(text).first(3));
  CHECK(conn.lent().data() == as_bytes(text).data());
  CHECK(conn.out.empty());
  conn.lend(as_bytes(text).last(3));
  CHECK(conn.lent_size == 0);
  CHECK(as_text(conn.out.view()) == text);
}

TEST_CASE("finish changes an open connection and no other") {
  Conn conn;
  conn.state = Conn::State::open;
  conn.finish();
  CHECK(conn.state == Conn::State::finishing);
  for (const auto state : {Conn::State::connecting, Conn::State::closing}) {
    conn.state = state;
    conn.finish();
    CHECK(conn.state == state);
  }
}

TEST_CASE("with an empty stash the handler reads the reactor's own memory") {
  Conn conn;
  Picky handler{.consumes = 6};
  const std::string received = "abcdef";
  feed(conn, as_bytes(received), handler, 100);
  CHECK(handler.seen.data() == as_bytes(received).data());
  CHECK(conn.stash.empty());
}

TEST_CASE("what is left over comes back in front of more") {
  Conn conn;
  Picky handler{.consumes = 2};
  feed(conn, as_bytes("abcdef"), handler, 100);
  CHECK(as_text(conn.stash.view()) == "cdef");
  feed(conn, as_bytes("gh"), handler, 100);
  CHECK(handler.text == "cdefgh");
  handler.consumes = 100;
  feed(conn, as_bytes("i"), handler, 100);
  CHECK(handler.text == "efghi");
  CHECK(conn.stash.empty());
  const std::string again = "again";
  feed(conn, as_bytes(again), handler, 100);
  CHECK(handler.seen.data() == as_bytes(again).data());
}

TEST_CASE("bytes lent from the stash outlive it") {
  struct Lends : Picky {
    std::size_t on_data(Conn& conn, Bytes bytes) {
      if (bytes.size() < 4) return 0;
      conn.lend(bytes);
      return bytes.size();
    }
  } handler;
  Conn conn;
  feed(conn, as_bytes("ab"), handler, 100);
  feed(conn, as_bytes("cd"), handler, 100);
  CHECK(conn.stash.empty());
  CHECK(as_text(conn.out.view()) == "abcd");
}

TEST_CASE("more than the limit unconsumed is refused, the limit itself is not") {
  for (const bool in_two : {false, true}) {
    Conn conn;
    Picky handler;
    conn.state = Conn::State::open;
    if (in_two) feed(conn, as_bytes("abcd"), handler, 8);
    feed(conn, as_bytes(in_two ? "efgh" : "abcdefgh"), handler, 8);
    CHECK(conn.state == Conn::State::open);
    feed(conn, as_bytes("i"), handler, 8);
    CHECK(conn.state == Conn::State::finishing);
    CHECK(conn.error == EMSGSIZE);
    CHECK(conn.stash.empty());
  }
}
