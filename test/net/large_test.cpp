// Messages that fill many buffers: they leave from where they came, each byte in its place.
#include <doctest/doctest.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "client.h"
#include "server.h"

using namespace wiremark;
using namespace wiremark::net;

namespace {

// A message fits one segment, so that it arrives at once, and fills many buffers.
constexpr std::size_t kMessage = 1'500, kBuffer = 64;

ReactorOptions small_buffers(unsigned count) {
  ReactorOptions options;
  options.buffers = count;
  options.buffer_size = kBuffer;
  return options;
}

/// Leaves it to the reactor how the bytes go back.
struct MovedEcho : Echo {
  void on_moved(Conn&, std::size_t size) { moved.add(size); }
  Counter moved;
};

/// Stays in a move while it is held.
struct HeldEcho : MovedEcho {
  void on_moved(Conn&, std::size_t) {
    inside = hold.load();
    eventually([&] { return !hold.load(); });
  }
  std::atomic<bool> hold = false, inside = false;
};

/// Echoes, and once makes more submissions than the queue holds after the first part of a message.
struct SubmitsBetween : Echo {
  std::size_t on_data(Conn& conn, Bytes bytes) {
    const std::size_t used = Echo::on_data(conn, bytes);
    reactor->flush(conn);
    if (bytes.size() == kBuffer && !done) {
      done = true;
      for (int i = 0; i < 1'100; ++i) REQUIRE(reactor->connect(nowhere, {}, this));
    }
    return used;
  }
  StreamsOf<UringReactor>* reactor = nullptr;
  Address nowhere = address("unix:/nonexistent/wiremark.socket");
  bool done = false;
};

}  // namespace

TEST_CASE_TEMPLATE("a message that fills many buffers is not copied on its way", R, UringReactor) {
  for (const std::string key : {"none", "bundle", "direct", "sqpoll=2ms"}) {
    CAPTURE(key);
    Echo echo;
    ReactorOptions options = small_buffers(64);
    options.uring = UringOptions::parse(key).value();
    Server<R, Echo> server(echo, options);
    Client client(server.address());
    for (int i = 0; i < 20; ++i) {
      const std::string text = noise(kMessage, i);
      REQUIRE((client.exchange(text) == text));
    }
    server.stop();
    CHECK(server.stats().bytes_out.get() == 20 * kMessage);
    CHECK(server.stats().copied.get() == 0);
  }
}

TEST_CASE_TEMPLATE("parts that a full socket left behind come in order", R, UringReactor) {
  for (const unsigned buffers : {8u, 64u, 1024u}) {
    CAPTURE(buffers);
    Echo echo;
    ReactorOptions options = small_buffers(buffers);
    options.buffer_size = 1'000;
    Server<R, Echo> server(echo, options);
    Client client(server.address(), 4'096);
    const std::string text = noise(12 << 20, buffers);
    std::thread sender([&] { client.send(text); });
    CHECK(eventually([&] { return server.stats().pauses.get() > 0; }));
    CHECK((client.receive(text.size()) == text));
    sender.join();
  }
}

TEST_CASE_TEMPLATE("a part does not join a send that was submitted", R, UringReactor) {
  SubmitsBetween echo;
  Server<R, SubmitsBetween> server(echo, small_buffers(64));
  Client client(server.address());
  for (int i = 0; i < 3; ++i) {
    const std::string text = noise(kMessage, i);
    CHECK((client.exchange(text) == text));
  }
  server.stop();
  CHECK(echo.done);
}

TEST_CASE_TEMPLATE("large messages are moved inside the kernel, small ones are read", R,
                   EpollReactor, UringReactor) {
  // The smaller of the large ones comes in one receive.
  for (const auto& [where, size] : {std::pair<std::string, std::size_t>{"127.0.0.1:0", 1 << 20},
                                    {"[::1]:0", 1 << 20},
                                    {"127.0.0.1:0", 20'000}}) {
    MovedEcho echo;
    Server<R, MovedEcho> server(echo, {}, where);
    Client client(server.address());
    const std::string large = noise(size, 1), small = noise(1'000, 2);
    for (int i = 0; i < 10; ++i) REQUIRE((client.exchange(large) == large));
    for (int i = 0; i < 9; ++i) REQUIRE((client.exchange(small) == small));
    const std::uint64_t moved = server.stats().moved.get();
    CHECK(moved > 5 * large.size());
    CHECK(moved <= echo.moved.get());
    for (int i = 0; i < 10; ++i) REQUIRE((client.exchange(small) == small));
    server.stop();
    CHECK(server.stats().moved.get() == moved);
    CHECK(server.stats().bytes_in.get() == 10 * large.size() + 19 * small.size());
    CHECK(server.stats().bytes_out.get() == server.stats().bytes_in.get());
  }
}

TEST_CASE_TEMPLATE("nothing is moved where a feature of the ring was asked for", R, UringReactor) {
  for (const std::string key : {"bundle", "direct", "zc"}) {
    CAPTURE(key);
    MovedEcho echo;
    ReactorOptions options;
    options.uring = UringOptions::parse(key).value();
    Server<R, MovedEcho> server(echo, options);
    Client client(server.address());
    const std::string large = noise(200'000, 3);
    for (int i = 0; i < 5; ++i) REQUIRE((client.exchange(large) == large));
    CHECK(server.stats().moved.get() == 0);
  }
}

TEST_CASE_TEMPLATE("what a full socket leaves of a move comes in order", R, EpollReactor,
                   UringReactor) {
  MovedEcho echo;
  Server<R, MovedEcho> server(echo);
  Client client(server.address(), 4'096);
  const std::string text = noise(24 << 20, 5);
  std::thread sender([&] { client.send(text); });
  CHECK(eventually([&] { return server.stats().pauses.get() > 0; }));
  CHECK((client.receive(text.size()) == text));
  sender.join();
  CHECK(server.stats().moved.get() > 0);
  CHECK(server.stats().copied.get() > 0);
}

// More pieces than a pipe has places (256), all there before the move: what does not fit comes with
// a later one.
TEST_CASE_TEMPLATE("small pieces behind a large message all come back", R, EpollReactor,
                   UringReactor) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("wiremark-move-" + std::to_string(::getpid()) + ".socket");
  HeldEcho echo;
  Server<R, HeldEcho> server(echo, {}, "unix:" + path.string());
  Client client(server.address(), 200'000);
  const std::string large = noise(32 << 10, 1), pieces = noise(40'000, 2);
  REQUIRE((client.exchange(large) == large));
  echo.hold = true;
  REQUIRE(client.send(large));
  REQUIRE(eventually([&] { return echo.inside.load(); }));
  for (std::size_t at = 0; at < pieces.size(); at += 100)
    REQUIRE(client.send(pieces.substr(at, 100)));
  echo.hold = false;
  CHECK((client.receive(large.size() + pieces.size()) == large + pieces));
  std::filesystem::remove(path);
}

TEST_CASE_TEMPLATE("large messages come back beside half-closes, resets and slow readers", R,
                   EpollReactor, UringReactor) {
  MovedEcho echo;
  Server<R, MovedEcho> server(echo);
  Client slow(server.address(), 4'096);
  const std::string waiting = noise(200'000, 9);
  REQUIRE(slow.send(waiting));
  for (const std::size_t size : {4'096u, 16'384u, 65'536u, 65'537u, 1u << 20, 3'000'001u}) {
    CAPTURE(size);
    Client whole(server.address()), gone(server.address());
    const std::string text = noise(size, size);
    gone.send_some(text);
    for (int i = 0; i < 8; ++i) REQUIRE((whole.exchange(text) == text));
    gone.reset();
    REQUIRE((whole.exchange(text) == text));
    const std::size_t sent = whole.send_some(text);
    whole.half_close();
    CHECK((whole.receive(sent) == text.substr(0, sent)));
    CHECK(whole.at_end());
  }
  CHECK((slow.receive(waiting.size()) == waiting));
  CHECK(eventually([&] { return echo.closed.get() == 12; }));
}
