// Handlers that pause for want of room, and handlers that keep the socket.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "client.h"
#include "server.h"

using namespace wiremark;
using namespace wiremark::net;

namespace {

// Takes as many bytes as the test allows, and pauses while that is none.
template <class R>
struct Narrow {
  void on_open(Conn& conn) { one = &conn; }

  std::size_t on_data(Conn& conn, Bytes bytes) {
    const std::size_t taken = std::min(bytes.size(), allowed.load() - got.size());
    got += as_text(bytes.first(taken));
    consumed.store(got.size());
    if (taken < bytes.size()) conn.pause();
    return taken;
  }

  void on_close(Conn& conn, int) {
    left = conn.stash.size();
    if (keeps_socket) kept = reactor->release(conn);
    one = nullptr;
    closed.add();
  }

  Nanoseconds on_turn(Nanoseconds now) {
    if (one && one->paused && allowed > got.size()) reactor->resume(*one);
    return now + kMillisecond;
  }

  StreamsOf<R>* reactor = nullptr;
  Conn* one = nullptr;
  std::string got;
  std::atomic<std::size_t> allowed = 0;
  std::atomic<std::size_t> consumed = 0;
  std::size_t left = 0;
  bool keeps_socket = false;
  Fd kept;
  Counter closed;
};

/// Takes a byte from its first connection and pauses it; a byte of the second one resumes the
/// first. The first delivery ends when the test allows it.
template <class R>
struct ByteWise {
  void on_open(Conn& conn) {
    if (!first) first = &conn;
    opened.add();
  }
  std::size_t on_data(Conn& conn, Bytes bytes) {
    if (&conn != first) {
      reactor->resume(*first);
      return bytes.size();
    }
    conn.append(bytes.first(1));
    conn.pause();
    began.add();
    while (!may_end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return 1;
  }
  void on_close(Conn&, int) {}
  Nanoseconds on_turn(Nanoseconds) { return kNever; }

  StreamsOf<R>* reactor = nullptr;
  Conn* first = nullptr;
  Counter opened, began;
  std::atomic<bool> may_end = false;
};

}  // namespace

TEST_CASE_TEMPLATE("a handler without room is not read for, and gets everything in the end", R,
                   EpollReactor, UringReactor) {
  Narrow<R> handler;
  ReactorOptions options;
  options.read_size = options.buffer_size = 4096;
  options.stash_limit = 16 << 20;
  Server<R, Narrow<R>> server(handler, options);
  Client client(server.address());
  const std::string text = noise(32 << 20);
  std::size_t sent = 0;
  for (int quiet = 0; quiet < 50 && sent < text.size();) {  // Until nobody reads any more.
    const std::size_t count = client.send_some(std::string_view(text).substr(sent, 1 << 20));
    sent += count;
    quiet = count > 0 ? 0 : quiet + 1;
    if (count == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  CHECK(sent < text.size());
  CHECK(server.stats().bytes_in.get() < 4 << 20);
  for (const std::size_t more : {1uz, 5'000uz, 100'000uz}) {
    handler.allowed += more;
    CHECK(eventually([&] { return handler.consumed == handler.allowed; }));
  }
  handler.allowed = text.size();
  while (sent < text.size()) {
    const std::size_t count = client.send_some(std::string_view(text).substr(sent, 1 << 20));
    sent += count;
    if (count == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK(eventually([&] { return handler.consumed == text.size(); }));
  client.half_close();
  CHECK(eventually([&] { return handler.closed.get() == 1; }));
  server.stop();
  CHECK(handler.left == 0);
  CHECK((handler.got == text));
}

TEST_CASE_TEMPLATE("what a paused handler has not taken is not lost when the peer ends", R,
                   EpollReactor, UringReactor) {
  Narrow<R> handler;
  handler.allowed = 10;
  Server<R, Narrow<R>> server(handler);
  Client client(server.address());
  client.send(noise(1'000));
  client.half_close();
  CHECK(eventually([&] { return handler.consumed == 10; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  handler.allowed = 1'000;
  CHECK(eventually([&] { return handler.closed.get() == 1; }));
  server.stop();
  CHECK(handler.got.size() + handler.left == 1'000);
}

TEST_CASE_TEMPLATE("a socket that the handler keeps outlives its connection", R, EpollReactor,
                   UringReactor) {
  Narrow<R> handler;
  handler.allowed = 1 << 20;
  handler.keeps_socket = true;
  Server<R, Narrow<R>> server(handler);
  Client client(server.address());
  client.send("question");
  client.half_close();
  REQUIRE(eventually([&] { return handler.closed.get() == 1; }));
  Client other(server.address());  // Another connection must not get the same descriptor.
  REQUIRE(eventually([&] { return server.stats().accepted.get() == 2; }));
  server.stop();
  REQUIRE(handler.kept);
  REQUIRE(::send(handler.kept.get(), "answer", 6, MSG_NOSIGNAL) == 6);
  handler.kept = Fd();
  CHECK(client.receive(6) == "answer");
  CHECK(client.at_end());
}

// With io_uring the pause cancels the receive, and the byte that resumes it comes in the same turn
// as the end of that receive, before it.
TEST_CASE_TEMPLATE("what a resumed connection answers leaves, though it pauses again", R,
                   EpollReactor, UringReactor) {
  ByteWise<R> handler;
  Server<R, ByteWise<R>> server(handler);
  Client first(server.address());
  REQUIRE(eventually([&] { return handler.opened.get() == 1; }));
  Client second(server.address());
  REQUIRE(eventually([&] { return handler.opened.get() == 2; }));
  first.send("abc");
  REQUIRE(eventually([&] { return handler.began.get() == 1; }));
  second.send("x");
  handler.may_end = true;
  CHECK(first.receive(2) == "ab");
  second.send("x");
  CHECK(first.receive(1) == "c");
}
