// What is special to the io_uring reactor: buffers that run out, submissions in mid-turn.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "client.h"
#include "frame_echo.h"
#include "server.h"

using namespace wiremark;
using namespace wiremark::net;

namespace {

/// On a request, makes more submissions in on_turn than the queue holds, while its one client's
/// bytes wait, and only then lends more than the socket takes.
struct LendsLate {
  void on_open(Conn& conn) { client = conn.user == nullptr ? &conn : client; }
  std::size_t on_data(Conn& conn, Bytes bytes) {
    conn.lend(bytes);
    return bytes.size();
  }
  void on_close(Conn&, int) { ++closed; }
  Nanoseconds on_turn(Nanoseconds now) {
    if (!go.exchange(false)) return now + kMillisecond;
    inside = true;
    eventually([&] { return sent.load(); });
    for (int i = 0; i < 1'100; ++i) {  // Its queue holds 1,024 entries.
      REQUIRE(reactor->connect(nowhere, {}, this));
    }
    client->lend(as_bytes(text));
    reactor->flush(*client);
    return now + kMillisecond;
  }

  StreamsOf<UringReactor>* reactor = nullptr;
  Conn* client = nullptr;
  Address nowhere = address("unix:/nonexistent/wiremark.socket");
  const std::string text = noise(8 << 20, 1);
  std::atomic<bool> go = false, inside = false, sent = false;
  std::atomic<int> closed = 0;
};

/// Consumes everything and answers nothing, since a send to a dead connection would fail and end
/// it. The first delivery blocks the loop until `go`.
struct Silent : Echo {
  std::size_t on_data(Conn&, Bytes bytes) {
    if (!inside.exchange(true)) eventually([&] { return go.load(); });
    return bytes.size();
  }
  std::atomic<bool> inside = false, go = false;
};

/// Passes everything on, and keeps what the reactor says of itself at the end.
template <class R, class H>
struct Described {
  void on_open(Conn& conn) { handler.on_open(conn); }
  std::size_t on_data(Conn& conn, Bytes bytes) { return handler.on_data(conn, bytes); }
  void on_close(Conn& conn, int error) {
    handler.on_close(conn, error);
    closed.add();
  }
  Nanoseconds on_turn(Nanoseconds now) {
    lines = reactor->describe();
    return handler.on_turn(now);
  }

  H& handler;
  std::vector<std::string>& lines;
  StreamsOf<R>* reactor = nullptr;
  Counter closed;
};

}  // namespace

TEST_CASE_TEMPLATE("with too few buffers nothing is lost or reordered", R, UringReactor) {
  for (const unsigned buffers : {1u, 2u}) {
    CAPTURE(buffers);
    Echo echo;
    ReactorOptions options;
    options.buffers = buffers;
    options.buffer_size = 64;
    Server<R, Echo> server(echo, options);
    std::vector<std::unique_ptr<Client>> clients;
    for (int i = 0; i < 200; ++i) clients.push_back(std::make_unique<Client>(server.address()));
    for (std::size_t i = 0; i < clients.size(); ++i) CHECK(clients[i]->send(noise(3'000, i)));
    for (std::size_t i = 0; i < clients.size(); ++i)
      CHECK((clients[i]->receive(3'000) == noise(3'000, i)));
    CHECK(server.stats().out_of_buffers.get() > 0);
  }
}

TEST_CASE_TEMPLATE("a lent send cut short keeps its place before what is sent after it", R,
                   UringReactor) {
  for (int round = 0; round < 5; ++round) {
    LendsLate handler;
    Server<R, LendsLate> server(handler);
    Client client(server.address(), 4'096);
    REQUIRE((client.exchange("hello") == "hello"));
    handler.go = true;
    REQUIRE(eventually([&] { return handler.inside.load(); }));
    const std::string last = noise(1'000, 3);
    REQUIRE(client.send(last));
    handler.sent = true;
    CHECK((client.receive(handler.text.size() + last.size()) == handler.text + last));
    CHECK(eventually([&] { return handler.closed == 1'100; }));
  }
}

// The first attempt of a receive stops after 33 buffers. If the remaining bytes and the reset are
// there by then, Linux 6.18 reads the bytes and forgets the reset.
TEST_CASE_TEMPLATE("a reset that the kernel forgets ends its connection", R, UringReactor) {
  constexpr unsigned kBuffers = 64, kSize = 64, kFirstAttempt = 33;
  for (const std::string key : {"nominwait", "direct", "sqpoll=2ms"}) {
    CAPTURE(key);
    Silent handler;
    ReactorOptions options;
    options.uring = UringOptions::parse(key).value();
    options.buffers = kBuffers;
    options.buffer_size = kSize;
    options.recheck_ns = 10 * kMillisecond;
    Server<R, Silent> server(handler, options);
    Client alive(server.address());
    REQUIRE(alive.send("x"));
    REQUIRE(eventually([&] { return handler.inside.load(); }));
    Client victim(server.address());
    REQUIRE(victim.send(noise((kFirstAttempt + 1) * kSize, 1)));
    victim.reset();
    handler.go = true;
    CHECK(eventually([&] { return handler.closed.get() == 1; }));
    CHECK(handler.last_error == ECONNRESET);
    CHECK(server.stats().bytes_in.get() == 1 + (kFirstAttempt + 1) * kSize);
    REQUIRE(alive.send("y"));
    CHECK(eventually(
        [&] { return server.stats().bytes_in.get() == 2 + (kFirstAttempt + 1) * kSize; }));
    CHECK(handler.closed.get() == 1);
  }
}

TEST_CASE_TEMPLATE("every choice keeps every byte, and says what it did", R, UringReactor) {
  for (const std::string key : {"direct", "bundle", "nominwait", "sqpoll=2ms", "napi", "zc=1",
                                "direct,bundle,zc=1k", "direct,sqpoll,zc=1"}) {
    CAPTURE(key);
    ReactorOptions options;
    options.uring = UringOptions::parse(key).value();
    options.wait = WaitPolicy::parse("batch:200us").value();
    options.buffer_size = 2'048;
    options.output_limit = 64'000;
    ListenOptions small;
    small.send_buffer = small.receive_buffer = 8'192;
    FrameEcho echo;
    std::vector<std::string> lines;
    {
      Described<R, FrameEcho> described{
          .handler = echo, .lines = lines, .reactor = nullptr, .closed = {}};
      Server<R, Described<R, FrameEcho>> server(described, options, "127.0.0.1:0", small);
      std::vector<std::unique_ptr<Client>> clients;
      for (int i = 0; i < 40; ++i) clients.push_back(std::make_unique<Client>(server.address()));
      for (std::size_t i = 0; i < clients.size(); ++i) {
        std::string frames;
        for (std::size_t n = 0; n < 20; ++n) frames += frame(noise(3'000, 40 * n + i));
        CHECK((clients[i]->exchange(frames, 4'099) == frames));
      }
      // Ended in every way while answers are under way: the rest must not notice.
      const std::string large = frame(noise(1 << 20, 7));
      for (int i = 0; i < 10; ++i) clients[i]->send_some(large);
      for (int i = 0; i < 5; ++i) clients[i]->reset();
      for (int i = 5; i < 10; ++i) clients[i]->close();
      CHECK((clients[20]->exchange(large) == large));
      for (int i = 10; i < 40; ++i) clients[i]->close();
      CHECK(eventually([&] { return described.closed.get() == 40; }));
      CHECK(server.stats().accepted.get() == 40);
    }
    for (const char* name : {"direct", "bundle", "sqpoll", "napi", "zc"}) {
      CAPTURE(name);
      const bool asked = key.find(name) != std::string::npos;
      const auto says = [&](const std::string& line) { return line.starts_with(name); };
      CHECK(std::ranges::count_if(lines, says) == asked);
    }
  }
}

TEST_CASE_TEMPLATE("buffers that run out in one turn double once, whoever lacked them", R,
                   UringReactor) {
  auto ring = Ring::open({});
  REQUIRE(ring);
  auto buffers = BufferRing::open(*ring, 1'024, 512);
  REQUIRE(buffers);
  const unsigned first = buffers->circulating();
  for (unsigned wanted = 2 * first; wanted <= 1'024; wanted *= 2) {
    for (int receives = 0; receives < 16; ++receives) buffers->grow();
    CHECK(buffers->circulating() == wanted);
    buffers->publish();
  }
}

TEST_CASE_TEMPLATE("a connection without a descriptor is refused, and its place given again", R,
                   UringReactor) {
  Echo echo;
  ReactorOptions options;
  options.uring.direct = true;
  options.max_connections = 2;
  Server<R, Echo> server(echo, options);
  for (int round = 0; round < 20; ++round) {
    Client one(server.address()), two(server.address());
    CHECK((one.exchange("1") == "1"));
    CHECK((two.exchange("2") == "2"));
    Client three(server.address());
    CHECK(three.at_end());
    one.close();
    two.close();
    CHECK(eventually([&] { return echo.closed.get() == 2u * (round + 1); }));
  }
  CHECK(server.stats().refused.get() == 20);
}

// The kernel's own race leaves the flag so, in one of some hundred ends of a busy ring.
TEST_CASE_TEMPLATE("a ring that the kernel calls behind for ever is discarded all the same", R,
                   UringReactor) {
  std::thread its_own([] {  // The end of a ring interrupts system calls of its thread.
    auto ring = Ring::open({});
    REQUIRE(ring);
    for (int i = 0; i < 100; ++i) io_uring_prep_nop(&ring->entry());
    __atomic_fetch_or(ring->get()->sq.kflags, IORING_SQ_TASKRUN, __ATOMIC_RELAXED);
    ring->discard();
    CHECK(io_uring_sq_ready(ring->get()) == 0);
    CHECK(io_uring_cq_ready(ring->get()) == 0);
  });
  its_own.join();
}
