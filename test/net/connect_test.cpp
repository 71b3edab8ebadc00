// Connections that a reactor starts itself.
#include <doctest/doctest.h>
#include <netinet/in.h>

#include <filesystem>
#include <functional>
#include <vector>

#include "client.h"
#include "server.h"

using namespace wiremark;
using namespace wiremark::net;

namespace {

/// A client with `count` connections to `to`, each sending its message `rounds` times; done when
/// all are closed.
template <class R>
struct Callers {
  Callers(StreamsOf<R>& own, Stop& end, const Address& target, int connections, int repeats)
      : reactor(own), stop(end), to(target), count(connections), rounds(repeats) {}

  void on_open(Conn& conn) {
    ++opened;
    conn.user = reinterpret_cast<void*>(static_cast<std::intptr_t>(rounds));
    conn.append(as_bytes(message));
  }
  std::size_t on_data(Conn& conn, Bytes bytes) {
    if (bytes.size() < message.size()) return 0;
    intact = intact && as_text(bytes) == message;
    const auto left = reinterpret_cast<std::intptr_t>(conn.user) - 1;
    conn.user = reinterpret_cast<void*>(left);
    if (left > 0)
      conn.append(as_bytes(message));
    else
      conn.finish();
    return bytes.size();
  }
  void on_close(Conn&, int error) {
    errors.push_back(error);
    if (errors.size() == static_cast<std::size_t>(count)) stop.request();
  }
  Nanoseconds on_turn(Nanoseconds) {
    for (; started < count; ++started) {
      const auto conn = reactor.connect(Address(to), {}, nullptr);
      REQUIRE_MESSAGE(conn, conn.error().message());
      if (close_at_once) reactor.close(**conn, ECANCELED);
    }
    return kNever;
  }

  StreamsOf<R>& reactor;
  Stop& stop;
  const Address& to;
  int count;
  int rounds;
  bool close_at_once = false;
  int started = 0;
  int opened = 0;
  bool intact = true;
  std::vector<int> errors;
  std::string message = noise(300, 5);
};

template <class R>
std::unique_ptr<R> open_backend() {
  auto backend = R::open({});
  REQUIRE_MESSAGE(backend, backend.error().message());
  return std::move(*backend);
}

}  // namespace

TEST_CASE_TEMPLATE("both ends on reactors, over TCP and Unix", R, EpollReactor, UringReactor) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("wiremark-connect-" + std::to_string(::getpid()) + ".socket");
  for (const std::string& where : {std::string("127.0.0.1:0"), "unix:" + path.string()}) {
    CAPTURE(where);
    Echo echo;
    Server<R, Echo> server(echo, {}, where);
    const auto backend = open_backend<R>();
    StreamsOf<R> reactor(*backend);
    Stop stop;
    const Address to = server.address();
    Callers<R> callers(reactor, stop, to, 20, 100);
    reactor.run(callers, stop);
    CHECK(callers.opened == 20);
    CHECK(callers.intact);
    CHECK(callers.errors == std::vector<int>(20, 0));
    CHECK(reactor.connections() == 0);
  }
  std::filesystem::remove(path);
}

TEST_CASE_TEMPLATE("3,000 connects in one turn all arrive", R, EpollReactor, UringReactor) {
  REQUIRE(require_descriptors(7'000));
  Echo echo;
  Server<R, Echo> server(echo);
  const auto backend = open_backend<R>();
  StreamsOf<R> reactor(*backend);
  Stop stop;
  const Address to = server.address();
  Callers<R> callers(reactor, stop, to, 3'000, 2);
  reactor.run(callers, stop);
  CHECK(callers.opened == 3'000);
  CHECK(callers.intact);
  CHECK(callers.errors == std::vector<int>(3'000, 0));
}

TEST_CASE_TEMPLATE("a refused connect is announced by on_close alone", R, EpollReactor,
                   UringReactor) {
  const RefusingPort nobody("127.0.0.1:0");
  const std::string no_path = "unix:/nonexistent/wiremark.socket";
  for (const Address& to : {nobody.address(), address(no_path)}) {
    const auto backend = open_backend<R>();
    StreamsOf<R> reactor(*backend);
    Stop stop;
    Callers<R> callers(reactor, stop, to, 3, 1);
    reactor.run(callers, stop);
    CHECK(callers.opened == 0);
    CHECK(callers.errors == std::vector<int>(3, to.is_unix() ? ENOENT : ECONNREFUSED));
  }
}

TEST_CASE_TEMPLATE("a connect that nobody answers can be closed", R, EpollReactor, UringReactor) {
  // A listener that accepts nobody and whose queue is full: the kernel drops further SYNs.
  ListenOptions narrow;
  narrow.backlog = 0;
  const auto listener = listen_on(address("127.0.0.1:0"), narrow);
  REQUIRE(listener);
  const Address to = Address::of_socket(listener->get()).value();
  const Client fills(to);
  const auto backend = open_backend<R>();
  StreamsOf<R> reactor(*backend);
  Stop stop;
  Callers<R> callers(reactor, stop, to, 2, 1);
  callers.close_at_once = true;
  std::atomic<bool> done = false;
  bool gave_up = false;
  std::thread watchdog([&] {
    gave_up = !eventually([&] { return done.load(); });
    if (gave_up) stop.request();
  });
  reactor.run(callers, stop);
  done = true;
  watchdog.join();
  CHECK_FALSE(gave_up);
  CHECK(callers.opened == 0);
  CHECK(callers.errors == std::vector{ECANCELED, ECANCELED});
}
