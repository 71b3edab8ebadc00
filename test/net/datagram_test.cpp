// Datagrams through both reactors on real sockets: each comes back whole to its sender, or is
// counted as lost.
#include <doctest/doctest.h>

#include <cerrno>
#include <map>
#include <tuple>
#include <vector>

#include "client.h"
#include "datagram_peer.h"
#include "server.h"

using namespace wiremark;
using namespace wiremark::net;

TEST_CASE_TEMPLATE("datagrams of every size come back whole over both families", R, EpollReactor,
                   UringReactor) {
  for (const std::string where : {"udp:127.0.0.1:0", "udp:[::1]:0"}) {
    CAPTURE(where);
    DatagramEcho echo;
    {
      Server<R, DatagramEcho> server(echo, {}, where);
      const Peer peer(server.address());
      for (const std::size_t size : {0u, 1u, 64u, 1'472u, 1'473u, 16'384u, 65'506u, 65'507u}) {
        for (const char first : {'e', 'c'}) {
          CAPTURE(size);
          std::string text = noise(size, size + 1);
          if (size > 0) text[0] = first;
          REQUIRE(peer.send(text));
          CHECK((peer.receive() == text));
        }
      }
      server.stop();
      CHECK(server.datagrams_dropped() == 0);
      const ReactorStats stats = server.stats();
      CHECK(stats.datagrams_in.get() == 16);
      CHECK(stats.datagrams_out.get() == 16);
      CHECK(stats.datagrams_unsent.get() == 0);
      CHECK(stats.bytes_in.get() == stats.bytes_out.get());
    }
    CHECK(echo.datagrams == 16);
  }
}

TEST_CASE_TEMPLATE("many senders each get their own, in batches", R, EpollReactor, UringReactor) {
  DatagramEcho echo;
  constexpr std::size_t kPeers = 64, kRounds = 200, kEach = 3;
  ListenOptions roomy;
  roomy.receive_buffer = 8 << 20;
  Server<R, DatagramEcho> server(echo, {}, "udp:127.0.0.1:0", roomy);
  std::vector<Peer> peers;
  for (std::size_t i = 0; i < kPeers; ++i) peers.emplace_back(server.address());
  std::size_t right = 0;
  for (std::size_t round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < kPeers * kEach; ++i)
      REQUIRE(peers[i % kPeers].send("e" + noise(i, round * 1'000 + i)));
    for (std::size_t i = 0; i < kPeers * kEach; ++i)
      right += peers[i % kPeers].receive() == "e" + noise(i, round * 1'000 + i);
  }
  CHECK(right == kPeers * kRounds * kEach);
  server.stop();
  CHECK(server.stats().datagrams_in.get() == right);
  CHECK(server.stats().datagrams_out.get() == right);
}

TEST_CASE_TEMPLATE("a datagram without an answer holds up none that follow", R, EpollReactor,
                   UringReactor) {
  DatagramEcho echo;
  ReactorOptions few;
  few.buffers = 4;  // io_uring: the buffers of unanswered datagrams must come back too.
  Server<R, DatagramEcho> server(echo, few, "udp:127.0.0.1:0");
  const Peer peer(server.address());
  for (int i = 0; i < 100; ++i) {
    REQUIRE(peer.send("x"));
    REQUIRE(peer.send("e" + std::to_string(i)));
    CHECK(peer.receive() == "e" + std::to_string(i));
  }
  server.stop();
  CHECK(server.stats().datagrams_in.get() == 200);
  CHECK(server.stats().datagrams_out.get() == 100);
}

TEST_CASE_TEMPLATE("an answer comes from the address that was asked", R, EpollReactor,
                   UringReactor) {
  // A connected socket takes datagrams only from its peer.
  for (const std::string where : {"udp:0.0.0.0:0", "udp:[::]:0"}) {
    CAPTURE(where);
    DatagramEcho echo;
    Server<R, DatagramEcho> server(echo, {}, where);
    for (const std::string host : {"127.0.0.1", "127.3.2.1", "[::1]"}) {
      if (host == "[::1]" && where == "udp:0.0.0.0:0") continue;
      CAPTURE(host);
      const Peer peer(with_host(server.address(), host));
      for (const std::string text : {"one", "c two", ""}) {
        REQUIRE(peer.send(text));
        CHECK(peer.receive() == text);
      }
    }
  }
}

TEST_CASE_TEMPLATE("what finds no room in the socket is counted as dropped", R, EpollReactor,
                   UringReactor) {
  struct Slow : DatagramEcho {
    std::optional<Bytes> on_datagram(Bytes bytes) {
      while (!go_on) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return DatagramEcho::on_datagram(bytes);
    }
    std::atomic<bool> go_on = false;
  } echo;
  ListenOptions small;
  small.receive_buffer = 8'192;
  ReactorOptions options;
  options.buffers = 8;
  Server<R, Slow> server(echo, options, "udp:127.0.0.1:0", small);
  const Peer peer(server.address());
  constexpr std::uint64_t kSent = 2'000;
  for (std::uint64_t i = 0; i < kSent; ++i) REQUIRE(peer.send("e" + noise(99, i)));
  echo.go_on = true;
  // Answers come in order: behind that to the newest message, which may be dropped too, is none.
  std::uint64_t more = 0, answered = 0;
  const auto caught_up = [&] {
    const std::string newest = "newest " + std::to_string(++more);
    REQUIRE(peer.send(newest));
    for (std::string answer; peer.has_answer();) {
      answer = peer.receive();
      ++answered;
      if (answer == newest) return true;
    }
    return false;
  };
  while (more < 20 && !caught_up()) continue;
  server.stop();
  CHECK(answered > 0);
  CHECK(server.datagrams_dropped() > 0);
  CHECK(server.stats().datagrams_in.get() == answered);
  CHECK(answered + server.datagrams_dropped() == kSent + more);
}

TEST_CASE_TEMPLATE("answers that the kernel refuses are counted, and others go out", R,
                   EpollReactor, UringReactor) {
  struct TooLong : DatagramEcho {
    std::optional<Bytes> on_datagram(Bytes bytes) {
      static const std::vector<std::byte> long_one(kDatagramMax + 1);
      return bytes.size() == 3 ? Bytes(long_one) : bytes;
    }
  } echo;
  Server<R, TooLong> server(echo, {}, "udp:127.0.0.1:0");
  const Peer peer(server.address());
  for (int i = 0; i < 50; ++i) {
    for (const std::string text : {"1", "333", "22"}) REQUIRE(peer.send(text));
    CHECK(peer.receive() == "1");
    CHECK(peer.receive() == "22");
  }
  server.stop();
  CHECK(server.stats().datagrams_in.get() == 150);
  CHECK(server.stats().datagrams_out.get() == 100);
  CHECK(server.stats().datagrams_unsent.get() == 50);
  CHECK(server.stats().bytes_out.get() == 150);
}

TEST_CASE_TEMPLATE("what is answered in the last turn leaves, and what is refused is counted", R,
                   EpollReactor, UringReactor) {
  struct Last : DatagramEcho {
    std::optional<Bytes> on_datagram(Bytes bytes) {
      static const std::vector<std::byte> long_one(kDatagramMax + 1);
      stop.request();
      return bytes.size() == 3 ? Bytes(long_one) : DatagramEcho::on_datagram(bytes);
    }
    Stop stop;
  } echo;
  auto backend = R::open({});
  REQUIRE(backend);
  ServerOf<R> reactor(**backend);
  const auto bound = reactor.bind(net::address("udp:127.0.0.1:0"), {});
  REQUIRE(bound);
  const Peer peer(*bound);
  for (const std::string text : {"1", "333", "c22", "4444"}) REQUIRE(peer.send(text));
  REQUIRE(reactor.run(echo, echo.stop));
  const ReactorStats stats = reactor.stats();
  CHECK(stats.datagrams_out.get() + stats.datagrams_unsent.get() == stats.datagrams_in.get());
  CHECK(stats.datagrams_in.get() == echo.datagrams + stats.datagrams_unsent.get());
  CHECK(peer.receive() == "1");
  CHECK(stats.datagrams_out.get() > 0);
}

namespace {

/// Sends a datagram from the socket bound to `from` in this process, as if its sender was forged.
void forge(const Address& from, const Address& to) {
  REQUIRE(::sendto(socket_at(from), "once", 4, 0, to.data(), to.size()) == 4);
}

}  // namespace

TEST_CASE_TEMPLATE("a server does not answer itself", R, EpollReactor, UringReactor) {
  for (const std::string where :
       {"udp:127.0.0.1:0", "udp:[::1]:0", "udp:0.0.0.0:0", "udp:[::]:0"}) {
    CAPTURE(where);
    DatagramEcho echo;
    Server<R, DatagramEcho> server(echo, {}, where);
    const bool ipv6 = server.address().family() == AF_INET6;
    const Address asked = with_host(server.address(), ipv6 ? "[::1]" : "127.0.0.1");
    forge(server.address(), asked);
    CHECK(eventually([&] { return server.stats().datagrams_refused.get() == 1; }));
    const Peer peer(asked);
    REQUIRE(peer.send("others"));
    CHECK(peer.receive() == "others");
    server.stop();
    CHECK(server.stats().datagrams_in.get() == 2);
    CHECK(server.stats().datagrams_out.get() == 1);
    CHECK(echo.datagrams == 1);
  }
}

TEST_CASE_TEMPLATE("two servers that are set upon each other come to an end", R, EpollReactor,
                   UringReactor) {
  // The second one is reached over IPv4 and IPv6, and by IPv4 through an IPv6 socket.
  for (const auto& [one, two, asked] :
       {std::tuple("udp:127.0.0.1:0", "udp:127.0.0.1:0", "127.0.0.1"),
        std::tuple("udp:127.0.0.1:0", "udp:0.0.0.0:0", "127.0.0.1"),
        std::tuple("udp:[::1]:0", "udp:[::1]:0", "[::1]"),
        std::tuple("udp:127.0.0.1:0", "udp:[::]:0", "127.0.0.1")}) {
    CAPTURE(two);
    DatagramEcho echo, other;
    Server<R, DatagramEcho> server(echo, {}, one);
    Server<R, DatagramEcho> against(other, {}, two);
    forge(server.address(), with_host(against.address(), asked));
    const auto sum = [&](Counter ReactorStats::* counter) {
      return (server.stats().*counter).get() + (against.stats().*counter).get();
    };
    CHECK(eventually([&] { return sum(&ReactorStats::datagrams_refused) == 1; }));
    server.stop();
    against.stop();
    CHECK(sum(&ReactorStats::datagrams_in) <= 255);
    CHECK(sum(&ReactorStats::datagrams_in) == sum(&ReactorStats::datagrams_out) + 1);
    CHECK(sum(&ReactorStats::datagrams_unsent) == 0);
  }
}

namespace {

/// Connected sockets: each sends the next number when one comes back, and one more of them in every
/// turn, until all have had kEach answers.
template <class R>
struct Counting {
  static constexpr std::uint32_t kPeers = 50, kEach = 400;

  void on_datagram(DatagramConn& conn, Bytes bytes) {
    auto& peer = peers[index(conn)];
    std::uint32_t word[2] = {};
    if (bytes.size() >= sizeof word) std::memcpy(word, bytes.data(), sizeof word);
    const bool whole = bytes.size() == sizeof word + word[1] % 300;
    right += whole && word[0] == index(conn) && word[1] < peer.sent;
    if (++peer.answered == kEach) ++done;
    if (done == kPeers) stop.request();
    send(conn);
  }
  void on_datagram_error(DatagramConn& conn, int error) {
    errors[error]++;
    if (!std::exchange(peers[index(conn)].told, true) && ++told == kPeers) stop.request();
  }
  Nanoseconds on_turn(Nanoseconds) {
    const Peer& peer = peers[next++ % kPeers];  // A few under way: a full socket would drop one.
    if (!peer.told && peer.sent < peer.answered + 4) send(*peer.conn);
    return kNever;
  }

  struct Peer {
    DatagramConn* conn = nullptr;
    std::uint32_t sent = 0, answered = 0;
    bool told = false;  // Of an error.
  };
  std::uint32_t index(const DatagramConn& conn) const {
    return static_cast<std::uint32_t>(static_cast<const Peer*>(conn.user) - peers.data());
  }
  void send(DatagramConn& conn) {
    auto& peer = peers[index(conn)];
    if (peer.sent == kEach) return;
    const std::uint32_t word[2] = {index(conn), peer.sent++};
    const std::string body = noise(word[1] % 300, word[1]);
    if (const int error = reactor->send(
            conn, {reinterpret_cast<const std::byte*>(word), sizeof word}, as_bytes(body)))
      on_datagram_error(conn, error);
  }
  // Connects all of them and runs.
  void load(DatagramsOf<R>& with, const Address& to) {
    reactor = &with;
    for (Peer& peer : peers) {
      const auto conn = with.connect(to, {}, &peer);
      REQUIRE(conn);
      peer.conn = *conn;
      send(*peer.conn);
    }
    with.run(*this, stop);
  }

  DatagramsOf<R>* reactor = nullptr;
  Stop stop;
  std::vector<Peer> peers = std::vector<Peer>(kPeers);
  std::uint32_t done = 0, told = 0, next = 0;
  std::uint64_t right = 0;
  std::map<int, int> errors;
};

}  // namespace

TEST_CASE_TEMPLATE("connections over UDP keep datagrams apart, whenever they are sent", R,
                   EpollReactor, UringReactor) {
  DatagramEcho echo;
  ListenOptions roomy;
  roomy.receive_buffer = 8 << 20;
  Server<R, DatagramEcho> server(echo, {}, "udp:127.0.0.1:0", roomy);
  Counting<R> client;
  auto backend = R::open({});
  REQUIRE(backend);
  DatagramsOf<R> reactor(**backend);
  client.load(reactor, server.address());
  const std::uint64_t all = Counting<R>::kPeers * Counting<R>::kEach;
  CHECK(client.right == all);
  CHECK(client.errors.empty());
  CHECK(reactor.stats().datagrams_out.get() == all);
  CHECK(reactor.stats().datagrams_in.get() == all);
  CHECK(reactor.datagrams_dropped() == 0);
  std::size_t alive = 0;
  reactor.for_each([&](DatagramConn&) { ++alive; });
  CHECK(alive == Counting<R>::kPeers);
}

namespace {

/// A connected socket that waits for four datagrams.
struct Four {
  void on_datagram(DatagramConn&, Bytes bytes) {
    came.emplace_back(as_text(bytes));
    if (came.size() == 4) stop.request();
  }
  void on_datagram_error(DatagramConn&, int) { stop.request(); }
  Nanoseconds on_turn(Nanoseconds) { return kNever; }

  Stop stop;
  std::vector<std::string> came;
};

}  // namespace

TEST_CASE_TEMPLATE("a datagram may lack its head, its body, or both", R, EpollReactor,
                   UringReactor) {
  DatagramEcho echo;
  Server<R, DatagramEcho> server(echo, {}, "udp:127.0.0.1:0");
  auto backend = R::open({});
  REQUIRE(backend);
  DatagramsOf<R> reactor(**backend);
  const auto conn = reactor.connect(server.address(), {}, nullptr);
  REQUIRE(conn);
  for (const Bytes head : {Bytes(), as_bytes("head")}) {
    for (const Bytes body : {Bytes(), as_bytes("body")}) reactor.send(**conn, head, body);
  }
  Four four;
  REQUIRE(reactor.run(four, four.stop));
  CHECK(four.came == std::vector<std::string>{"", "body", "head", "headbody"});
}

TEST_CASE_TEMPLATE("what is sent in the last turn leaves", R, EpollReactor, UringReactor) {
  struct Sender {
    void on_datagram(DatagramConn&, Bytes) {}
    void on_datagram_error(DatagramConn&, int) {}
    Nanoseconds on_turn(Nanoseconds) {
      if (std::exchange(turns, turns + 1) == 1) {
        reactor->send(*conn, as_bytes("last"), {});
        stop.request();
      }
      return 0;
    }
    DatagramsOf<R>* reactor = nullptr;
    DatagramConn* conn = nullptr;
    Stop stop;
    int turns = 0;
  } sender;
  const auto socket = bind_on(net::address("udp:127.0.0.1:0"));
  REQUIRE(socket);
  auto backend = R::open({});
  REQUIRE(backend);
  DatagramsOf<R> reactor(**backend);
  const auto conn = reactor.connect(Address::of_socket(socket->get()).value(), {}, nullptr);
  REQUIRE(conn);
  sender.reactor = &reactor;
  sender.conn = *conn;
  REQUIRE(reactor.run(sender, sender.stop));
  char text[8];
  CHECK(::recv(socket->get(), text, sizeof text, MSG_DONTWAIT) == 4);
  CHECK(reactor.stats().datagrams_out.get() == 1);
}

TEST_CASE_TEMPLATE("a port where nobody listens is told to each connection", R, EpollReactor,
                   UringReactor) {
  const RefusingPort nowhere("udp:127.0.0.1:0");
  Counting<R> client;
  auto backend = R::open({});
  REQUIRE(backend);
  DatagramsOf<R> reactor(**backend);
  client.load(reactor, nowhere.address());
  CHECK(client.right == 0);
  CHECK(client.errors[ECONNREFUSED] >= static_cast<int>(Counting<R>::kPeers));
  CHECK(reactor.connections() == Counting<R>::kPeers);
}
