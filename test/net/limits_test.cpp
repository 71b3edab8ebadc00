// Connections ended by limits, on real sockets: by silence, and by too much memory.
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "client.h"
#include "server.h"

using namespace wiremark;
using namespace wiremark::net;

namespace {

int option_of(int fd, int level, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  ::getsockopt(fd, level, name, &value, &size);
  return value;
}

/// Notes the keep-alive options of accepted sockets.
struct Asking : net::Echo {
  void on_open(Conn& conn) {
    on = option_of(conn.fd, SOL_SOCKET, SO_KEEPALIVE);
    idle = option_of(conn.fd, IPPROTO_TCP, TCP_KEEPIDLE);
    interval = option_of(conn.fd, IPPROTO_TCP, TCP_KEEPINTVL);
    probes = option_of(conn.fd, IPPROTO_TCP, TCP_KEEPCNT);
    opened.add();
  }

  int on = 0, idle = 0, interval = 0, probes = 0;
  Counter opened;
};

/// Counts what each turn delivers. Answers what is short, and stops at the first of it until it is
/// let go.
struct TurnCounting {
  void on_open(Conn&) {}
  std::size_t on_data(Conn& conn, Bytes bytes) {
    in_turn += bytes.size();
    if (bytes.size() < kShort) {
      stopped = true;
      go_on.wait();
      conn.lend(bytes);
    }
    return bytes.size();
  }
  void on_close(Conn&, int) {}
  Nanoseconds on_turn(Nanoseconds) {
    most = std::max<std::size_t>(most, std::exchange(in_turn, 0));
    return kNever;
  }

  static constexpr std::size_t kShort = 100;
  std::size_t in_turn = 0;
  std::atomic<std::size_t> most = 0;
  std::atomic<bool> stopped = false;
  std::latch go_on{1};
};

}  // namespace

TEST_CASE_TEMPLATE("many that send much do not fill a turn", R, EpollReactor, UringReactor) {
  constexpr std::size_t kClients = 100;
  constexpr std::size_t kMost = 16 << 20;  // Of 100 that had 1 MiB each, it was 100 MiB.
  TurnCounting counting;
  ListenOptions large;
  large.receive_buffer = 4 << 20;
  Server<R, TurnCounting> server(counting, {}, "127.0.0.1:0", large);
  Client good(server.address());
  std::vector<std::unique_ptr<Client>> greedy;
  for (std::size_t i = 0; i < kClients; ++i)
    greedy.push_back(std::make_unique<Client>(server.address()));
  good.send("good");
  REQUIRE(eventually([&] { return counting.stopped.load(); }));
  const std::string text = noise(1 << 20, 1);
  std::size_t sent = 0;
  for (auto& client : greedy) sent += client->send_some(text);
  CHECK(sent > 2 * kMost);
  counting.go_on.count_down();
  CHECK(good.receive(4) == "good");
  CHECK(good.exchange("good") == "good");
  server.stop();
  CHECK(counting.most > 0);
  CHECK(counting.most < kMost);
}

TEST_CASE_TEMPLATE("a silent connection ends, and one that talks does not", R, EpollReactor,
                   UringReactor) {
  net::Echo echo;
  ReactorOptions options;
  options.idle_timeout = 2 * kSecond;
  Server<R, net::Echo> server(echo, options);
  Client silent(server.address()), talking(server.address());
  while (echo.closed.get() == 0) {
    REQUIRE(talking.exchange("still here") == "still here");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK(silent.at_end());
  CHECK(echo.last_error == kEndedIdle);
  CHECK(talking.exchange("and now") == "and now");
  CHECK(echo.closed.get() == 1);
}

TEST_CASE_TEMPLATE("clients that do not read end where they hold too much, and others do not", R,
                   EpollReactor, UringReactor) {
  net::Echo echo;
  ReactorOptions options;
  options.memory_limit = 2 << 20;
  ListenOptions small;
  small.send_buffer = small.receive_buffer = 4'096;
  Server<R, net::Echo> server(echo, options, "127.0.0.1:0", small);
  Client good(server.address());
  std::vector<std::unique_ptr<Client>> greedy;
  const std::string text = noise(1 << 20, 1);
  for (int i = 0; i < 400 && echo.closed.get() == 0; ++i) {
    greedy.push_back(std::make_unique<Client>(server.address(), 4'096));
    for (std::size_t sent = 0; sent < text.size();) {
      const std::size_t more = greedy.back()->send_some(text.substr(sent));
      if (more == 0) break;
      sent += more;
      REQUIRE(good.exchange("good") == "good");
    }
  }
  CHECK(echo.closed.get() > 0);
  CHECK(echo.last_error == kEndedForMemory);
  CHECK(good.exchange("good") == "good");
}

TEST_CASE_TEMPLATE(
    "the kernel asks after silent peers, which cannot vanish from a loopback address", R,
    EpollReactor, UringReactor) {
  Asking asking;
  ListenOptions listening;
  listening.keep_alive = {.idle_s = 7, .interval_s = 3, .probes = 2};
  bool asks = true;
  SUBCASE("any address") {}
  SUBCASE("loopback") { asks = false; }
  Server<R, Asking> server(asking, {}, asks ? "0.0.0.0:0" : "127.0.0.1:0", listening);
  const Client client(server.address());
  REQUIRE(eventually([&] { return asking.opened.get() == 1; }));
  server.stop();
  CHECK(asking.on == asks);
  if (!asks) return;
  CHECK(asking.idle == 7);
  CHECK(asking.interval == 3);
  CHECK(asking.probes == 2);
}
