// Receive timestamps on real sockets: they tell when bytes came, and no byte is lost.
#include <doctest/doctest.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>

#include <filesystem>
#include <thread>

#include "client.h"
#include "frame_echo.h"
#include "server.h"

using namespace wiremark;
using namespace wiremark::net;

namespace {

/// Echoes, and keeps when the kernel received the last delivery and when it was read. On request it
/// blocks the loop in mid-turn until it is released.
template <class R>
struct Late : Echo {
  std::size_t on_data(Conn& conn, Bytes bytes) {
    received = reactor->received();
    read = now_ns();
    return Echo::on_data(conn, bytes);
  }
  Nanoseconds on_turn(Nanoseconds now) {
    if (hold) {
      inside = true;
      eventually([&] { return !hold; });
      inside = false;
    }
    return now + kMillisecond;
  }

  StreamsOf<R>* reactor = nullptr;
  std::atomic<Nanoseconds> received = 0, read = 0;
  std::atomic<bool> hold = false, inside = false;
};

struct CountedEcho : FrameEcho {
  void on_close(Conn& conn, int error) {
    FrameEcho::on_close(conn, error);
    closed.add();
  }

  Counter closed;
};

ReactorOptions stamping() {
  ReactorOptions options;
  options.receive_timestamps = true;
  return options;
}

/// Whether the peer's kernel has received everything.
bool arrived(const Client& client) {
  int unacknowledged = 1;
  return ::ioctl(client.fd(), SIOCOUTQ, &unacknowledged) == 0 && unacknowledged == 0;
}

}  // namespace

TEST_CASE_TEMPLATE("received() tells when bytes came, however late they are read" *
                       doctest::test_suite("realtime"),
                   R, EpollReactor, UringReactor) {
  Late<R> handler;
  Server<R, Late<R>> server(handler, stamping());
  Client client(server.address());
  // The kernel may begin to stamp a moment after it was asked.
  REQUIRE(eventually([&] {
    REQUIRE((client.exchange("x") == "x"));
    return server.stats().stamped.get() > 0;
  }));
  for (int round = 0; round < 5; ++round) {
    handler.hold = true;
    REQUIRE(eventually([&] { return handler.inside.load(); }));
    const Nanoseconds before = now_ns();
    REQUIRE(client.send("late"));
    REQUIRE(eventually([&] { return arrived(client); }));
    const Nanoseconds there = now_ns();
    handler.hold = false;
    REQUIRE((client.receive(4) == "late"));
    CHECK(handler.read >= there);
    CHECK(handler.received + 20 * kMicrosecond >= before);
    CHECK(handler.received <= there + 20 * kMicrosecond);
  }
}

TEST_CASE_TEMPLATE("streams with timestamps come back whole, and end", R, EpollReactor,
                   UringReactor) {
  for (const std::size_t buffer : {64u, 4'096u, 16'384u}) {
    CAPTURE(buffer);
    CountedEcho echo;
    ReactorOptions options = stamping();
    options.buffers = 64;
    options.buffer_size = options.read_size = buffer;
    options.output_limit = 64'000;
    {
      Server<R, CountedEcho> server(echo, options);
      for (int i = 0; i < 5; ++i) {
        Client client(server.address(), i % 2 ? 8'192 : 0);
        std::string frames;
        for (int n = 0; n < 100; ++n) frames += frame(noise(n * n % 3'001, 10 * n + i));
        CHECK((client.exchange(frames, 4'099) == frames));
        if (i == 4) {
          client.reset();
        } else {
          client.half_close();
          CHECK(client.at_end());
        }
      }
      CHECK(eventually([&] { return echo.closed.get() == 5; }));
      // The kernel may begin to stamp after the first of them.
      CHECK(server.stats().stamped.get() + server.stats().unstamped.get() > 0);
    }
    CHECK((echo.errors == std::vector<int>{0, 0, 0, 0, ECONNRESET}));
  }
}

TEST_CASE_TEMPLATE("without a word of the kernel received() is 0", R, EpollReactor, UringReactor) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("wiremark-stamp-" + std::to_string(::getpid()) + ".socket");
  const bool asked[] = {false, true};
  for (const bool ask : asked) {  // Nobody asked; and a Unix socket, which is not stamped.
    CAPTURE(ask);
    Late<R> handler;
    handler.received = 1;
    Server<R, Late<R>> server(handler, ask ? stamping() : ReactorOptions(),
                              ask ? "unix:" + path.string() : "127.0.0.1:0");
    Client client(server.address());
    const std::string text = noise(100'000, 1);
    CHECK((client.exchange(text) == text));
    CHECK(handler.received == 0);
    CHECK(server.stats().stamped.get() == 0);
    CHECK((server.stats().unstamped.get() > 0) == ask);
  }
  std::filesystem::remove(path);
}

TEST_CASE_TEMPLATE("a bundle gives way to timestamps, and says so", R, UringReactor) {
  ReactorOptions options = stamping();
  options.uring.bundle = true;
  std::string lines;
  // The end of a ring interrupts system calls of its thread, which should not be the clients'.
  std::thread([&] {
    const auto reactor = R::open(options);
    if (!reactor) return;
    for (const std::string& line : (*reactor)->describe()) lines += line + "\n";
  }).join();
  CHECK(lines.find("bundle: not active: a receive with a timestamp") != std::string::npos);
  CHECK(lines.find(ReceiveClock::kNote) != std::string::npos);
}
