// Ends of connections on real sockets: resets, limits, closes from inside callbacks.
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <vector>

#include "client.h"
#include "frame_echo.h"
#include "server.h"

using namespace wiremark;
using namespace wiremark::net;

namespace {

/// Echoes, and in each callback does what the test says.
template <class R>
struct Scripted : Echo {
  void on_open(Conn& conn) {
    opened.add();
    if (at_open) at_open(*this, conn);
  }
  std::size_t on_data(Conn& conn, Bytes bytes) {
    conn.lend(bytes);
    if (at_data) at_data(*this, conn);
    return bytes.size();
  }
  void on_close(Conn& conn, int error) {
    if (at_close) at_close(*this, conn);
    Echo::on_close(conn, error);
  }
  Nanoseconds on_turn(Nanoseconds) {
    turns.add();
    if (at_turn) return at_turn(*this);
    return kNever;
  }

  using Step = std::function<void(Scripted&, Conn&)>;
  Step at_open, at_data, at_close;
  std::function<Nanoseconds(Scripted&)> at_turn;
  StreamsOf<R>* reactor = nullptr;
  Counter opened, turns;
};

// Without the patience that listen_on() has.
bool binds_at_once(const Address& address) {
  const Fd fd(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  REQUIRE(::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0);
  return ::bind(fd.get(), address.data(), address.size()) == 0;
}

/// Sends back whole frames.
struct Framed : Echo {
  std::size_t on_data(Conn& conn, Bytes bytes) {
    std::size_t used = 0;
    while (const std::size_t size = whole_frame(bytes.subspan(used))) {
      conn.lend(bytes.subspan(used, size));
      used += size;
    }
    return used;
  }
};

}  // namespace

TEST_CASE_TEMPLATE("a reset in mid-frame ends one connection and no other", R, EpollReactor,
                   UringReactor) {
  Framed handler;
  Server<R, Framed> server(handler);
  Client other(server.address());
  Client victim(server.address());
  REQUIRE(victim.send(frame("a frame of which a part is sent").substr(0, 9)));
  CHECK(other.exchange(frame("before")) == frame("before"));
  REQUIRE(eventually([&] { return server.stats().bytes_in.get() == 9 + 10; }));
  victim.reset();
  CHECK(eventually([&] { return handler.closed.get() == 1; }));
  CHECK(handler.last_error == ECONNRESET);
  CHECK(other.exchange(frame("after")) == frame("after"));
}

TEST_CASE_TEMPLATE("a frame without end is closed with EMSGSIZE", R, EpollReactor, UringReactor) {
  struct Never : Echo {
    std::size_t on_data(Conn&, Bytes) { return 0; }
  } handler;
  ReactorOptions options;
  options.stash_limit = 10'000;
  Server<R, Never> server(handler, options);
  Client client(server.address());
  client.send(std::string(10'000, 'x'));
  REQUIRE(eventually([&] { return server.stats().bytes_in.get() == 10'000; }));
  CHECK(handler.closed.get() == 0);
  client.send("x");
  CHECK(eventually([&] { return handler.closed.get() == 1; }));
  CHECK(handler.last_error == EMSGSIZE);
}

TEST_CASE_TEMPLATE("answers to the frames before one without end arrive", R, EpollReactor,
                   UringReactor) {
  for (const std::size_t whole : {5uz, 3'000uz}) {
    Framed handler;
    ReactorOptions options;
    options.stash_limit = 8'000;
    Server<R, Framed> server(handler, options);
    Client client(server.address());
    const std::string first = frame(noise(whole, 1)), second = frame(noise(whole, 2));
    // In one delivery.
    client.send(first + second + frame(noise(100'000, 3)).substr(0, 9'000));
    CHECK((client.receive(first.size() + second.size()) == first + second));
    CHECK(eventually([&] { return handler.closed.get() == 1; }));
    CHECK(handler.last_error == EMSGSIZE);
  }
}

TEST_CASE_TEMPLATE("connections over the limit are closed at once and counted", R, EpollReactor,
                   UringReactor) {
  Echo echo;
  ReactorOptions options;
  options.max_connections = 2;
  Server<R, Echo> server(echo, options);
  Client one(server.address());
  Client two(server.address());
  CHECK(one.exchange("1") == "1");
  CHECK(two.exchange("2") == "2");
  Client third(server.address());
  CHECK(third.receive(1).empty());
  CHECK(eventually([&] { return server.stats().refused.get() == 1; }));
  CHECK(server.stats().accepted.get() == 2);
  one.close();
  CHECK(eventually([&] { return echo.closed.get() == 1; }));
  Client fourth(server.address());
  CHECK(fourth.exchange("4") == "4");
}

TEST_CASE_TEMPLATE("without descriptors accepting pauses, and goes on when there are some", R,
                   EpollReactor, UringReactor) {
  // io_uring reads the limit when an accept is armed, so it is lowered before the server starts.
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  rlimit low = before;
  low.rlim_cur = 100;
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &low) == 0);
  Echo echo;
  Server<R, Echo> server(echo);
  Client first(server.address());
  CHECK(first.exchange("a") == "a");
  Client second(server.address());
  CHECK(second.exchange("b") == "b");
  const Fd waiting(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  std::vector<Fd> fill;
  for (;;) {
    Fd fd(::dup(waiting.get()));
    if (!fd) break;
    fill.push_back(std::move(fd));
  }
  const std::uint64_t turns = server.stats().turns.get();
  REQUIRE(::connect(waiting.get(), server.address().data(), server.address().size()) == 0);
  CHECK(eventually([&] { return server.stats().accept_errors.get() >= 2; }));
  CHECK(server.stats().turns.get() - turns < 100 * server.stats().accept_errors.get());
  CHECK(first.exchange("c") == "c");
  CHECK(server.stats().accepted.get() == 2);
  fill.clear();
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK(eventually([&] { return server.stats().accepted.get() == 3; }));
  CHECK(second.exchange("d") == "d");
}

TEST_CASE_TEMPLATE("a connection is closed from inside any callback and announced once", R,
                   EpollReactor, UringReactor) {
  for (const int place : {0, 1, 2}) {
    CAPTURE(place);
    Scripted<R> handler;
    Conn* last = nullptr;
    const auto close = [](Scripted<R>& self, Conn& conn) {
      self.reactor->close(conn, ECANCELED);
      self.reactor->close(conn, 0);
    };
    if (place == 0) handler.at_open = close;
    if (place == 1) handler.at_data = close;
    if (place == 2) {
      handler.at_data = [&](Scripted<R>&, Conn& conn) { last = &conn; };
      handler.at_turn = [&](Scripted<R>& self) {
        if (last) self.reactor->close(*std::exchange(last, nullptr), ECANCELED);
        return kNever;
      };
    }
    Server<R, Scripted<R>> server(handler);
    for (std::size_t i = 1; i <= 20; ++i) {
      Client client(server.address());
      client.send("hello");
      client.receive(100);
      CHECK(eventually([&] { return handler.closed.get() == i; }));
    }
    CHECK(handler.last_error == ECANCELED);
    server.stop();
    CHECK(handler.closed.get() == 20);
  }
}

TEST_CASE_TEMPLATE("two connections close one another", R, EpollReactor, UringReactor) {
  Scripted<R> handler;
  std::vector<Conn*> open;
  handler.at_open = [&](auto&, Conn& conn) { open.push_back(&conn); };
  handler.at_data = [&](Scripted<R>& self, Conn& conn) {
    for (Conn* other : open) {
      if (other != &conn) self.reactor->close(*other, EPIPE);
    }
  };
  handler.at_close = [&](Scripted<R>& self, Conn& conn) {
    std::erase(open, &conn);
    for (Conn* other : open) self.reactor->close(*other, EPIPE);
  };
  Server<R, Scripted<R>> server(handler);
  Client one(server.address());
  Client two(server.address());
  REQUIRE(eventually([&] { return handler.opened.get() == 2; }));
  one.send("x");
  two.send("x");
  CHECK(eventually([&] { return handler.closed.get() == 2; }));
  CHECK(handler.last_error == EPIPE);
}

TEST_CASE_TEMPLATE("finish sends what was appended, then ends", R, EpollReactor, UringReactor) {
  const std::string text = noise(5 << 20, 9);
  Scripted<R> handler;
  handler.at_open = [&](auto&, Conn& conn) {
    conn.append(as_bytes(text));
    conn.finish();
  };
  Server<R, Scripted<R>> server(handler);
  Client client(server.address(), 8'192);
  CHECK((client.receive(text.size() + 1) == text));
  CHECK(eventually([&] { return handler.closed.get() == 1; }));
  CHECK(handler.last_error == 0);
}

TEST_CASE_TEMPLATE("a reactor starts again at once on the port it just left", R, EpollReactor,
                   UringReactor) {
  // An address of its own, where the kernel gives nobody else the port that was just left.
  const int own = ::getpid();
  std::string where =
      "127.77." + std::to_string(own / 250 % 250) + "." + std::to_string(own % 250 + 1) + ":0";
  for (int round = 0; round < 10; ++round) {
    CAPTURE(round);
    Echo echo;
    Server<R, Echo> server(echo, {}, where);
    where = server.address().to_string();
    Client one(server.address());
    Client two(server.address());
    CHECK(one.exchange("1") == "1");
    CHECK(two.exchange("2") == "2");
    server.stop();
    CHECK(binds_at_once(server.address()));
  }
}

TEST_CASE_TEMPLATE("every way to wait serves, sleeps no deadline away and stops", R, EpollReactor,
                   UringReactor) {
  for (const char* wait : {"block", "spin", "adaptive:50us", "batch:1ms"}) {
    CAPTURE(wait);
    Scripted<R> handler;
    handler.at_turn = [](auto&) { return now_ns() + kMillisecond; };
    ReactorOptions options;
    options.wait = WaitPolicy::parse(wait).value();
    Server<R, Scripted<R>> server(handler, options);
    Client client(server.address());
    const std::string text = noise(300'000, 4);
    CHECK((client.exchange(text) == text));
    const std::uint64_t turns = handler.turns.get();
    CHECK(eventually([&] { return handler.turns.get() >= turns + 10; }));
  }
}

TEST_CASE_TEMPLATE("a stop request wakes a reactor that sleeps", R, EpollReactor, UringReactor) {
  Echo echo;
  Server<R, Echo> server(echo);
  const std::uint64_t turns = server.stats().turns.get();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(server.stats().turns.get() <= turns + 2);
  server.stop();
}

TEST_CASE_TEMPLATE("a stop that cannot be watched is an error, not an end that looks like one", R,
                   EpollReactor, UringReactor) {
  const auto backend = R::open({});
  REQUIRE(backend);
  StreamsOf<R> reactor(**backend);
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  Stop stop;  // Without a descriptor.
  ::setrlimit(RLIMIT_NOFILE, &before);
  Echo echo;
  const auto ran = reactor.run(echo, stop);
  REQUIRE_FALSE(ran);
  CHECK(ran.error().operation == "eventfd");
  CHECK(ran.error().code == EMFILE);
}
