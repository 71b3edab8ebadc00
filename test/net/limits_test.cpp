// What ends connections that are of no use, on real sockets: silence, and too much memory.
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <map>
#include <memory>
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

/// Notes how the kernel is to ask after its peers.
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

}  // namespace

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

TEST_CASE_TEMPLATE("the kernel asks after silent peers", R, EpollReactor, UringReactor) {
  Asking asking;
  ListenOptions listening;
  listening.keep_alive = {.idle_s = 7, .interval_s = 3, .probes = 2};
  Server<R, Asking> server(asking, {}, "127.0.0.1:0", listening);
  const Client client(server.address());
  REQUIRE(eventually([&] { return asking.opened.get() == 1; }));
  server.stop();
  CHECK(asking.on == 1);
  CHECK(asking.idle == 7);
  CHECK(asking.interval == 3);
  CHECK(asking.probes == 2);
}
