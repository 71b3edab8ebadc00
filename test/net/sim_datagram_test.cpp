// The simulated network, datagrams: what a path does to them, and what a full or absent socket.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "net/concepts.h"
#include "net/sim/datagrams.h"
#include "sim_pair.h"

using namespace wiremark;
using namespace wiremark::net;
using namespace wiremark::net::sim;

static_assert(Datagrams<DatagramEnd>);

namespace {

const Address kBound = *Address::parse("udp:127.0.0.1:7007");
constexpr std::uint32_t kMany = 20'000;

/// Keeps what comes, and answers what the test says.
struct Server {
  std::optional<Bytes> on_datagram(Bytes bytes) {
    got.emplace_back(as_text(bytes));
    at.push_back(end->now());
    if (!answers) return std::nullopt;
    return bytes;
  }
  Nanoseconds on_turn(Nanoseconds) {
    taken.push_back(end->taken_until());
    return kNever;
  }

  DatagramEnd* end;
  bool answers = false;
  std::vector<std::string> got{};
  std::vector<Nanoseconds> at{}, taken{};
};

struct Client {
  void on_datagram(DatagramConn& conn, Bytes bytes) {
    static_cast<std::vector<std::string>*>(conn.user)->emplace_back(as_text(bytes));
  }
  void on_datagram_error(DatagramConn&, int error) {
    errors.push_back(error);
    at.push_back(end->now());
  }
  Nanoseconds on_turn(Nanoseconds) { return kNever; }

  DatagramEnd* end;
  std::vector<int> errors{};
  std::vector<Nanoseconds> at{};
};

struct DatagramPair {
  explicit DatagramPair(EndOptions of_server = {}, EndOptions of_client = {},
                        std::uint64_t seed = 1)
      : network(seed),
        server_end(network, sockets, std::move(of_server)),
        client_end(network, sockets, std::move(of_client)) {
    server_end.serve(server);
    client_end.serve(client);
    idle();
  }

  void bind() { (void)server_end.bind(kBound, {}); }
  DatagramConn& open() { return **client_end.connect(kBound, {}, &got.emplace_back()); }
  void run(Nanoseconds end = kNever) { network.run(never, end); }
  /// Lets a second pass, so that both loops sleep in the end; the time then.
  Nanoseconds idle() {
    network.at(network.now() + kSecond, [] {});
    run();
    return network.now();
  }
  void send(DatagramConn& conn, std::string_view text) {
    CHECK(client_end.send(conn, as_bytes(text.substr(0, 1)), as_bytes(text.substr(1))) == 0);
  }
  /// Sends kMany with their numbers, a microsecond apart; returns when the first one left.
  Nanoseconds send_many() {
    DatagramConn& conn = open();
    const Nanoseconds first = network.now() + kMillisecond;
    for (std::uint32_t i = 0; i < kMany; ++i)
      network.at(first + i * kMicrosecond, [this, &conn, i] { send(conn, std::to_string(i)); });
    run();
    return first;
  }

  Network network;
  DatagramEnd::Sockets sockets;
  std::vector<std::vector<std::string>> got = reserved();  ///< By socket of the client.
  DatagramEnd server_end, client_end;
  Server server{&server_end};
  Client client{&client_end};
  Stop never;

 private:
  static std::vector<std::vector<std::string>> reserved() {
    std::vector<std::vector<std::string>> sockets_of_client;
    sockets_of_client.reserve(8);  // They are pointed to.
    return sockets_of_client;
  }
};

void check_share(std::uint64_t count, double share) {
  const double deviation = std::sqrt(kMany * share * (1 - share));
  CHECK(std::abs(static_cast<double>(count) - kMany * share) < 4 * deviation);
}

}  // namespace

TEST_CASE("sim: datagrams come whole, empty ones too, and are answered to their senders") {
  DatagramPair pair({.path = {.latency = 5 * kMillisecond}});
  pair.bind();
  pair.server.answers = true;
  DatagramConn& one = pair.open();
  DatagramConn& two = pair.open();
  std::vector<Nanoseconds> seen;
  pair.server_end.watch([&](const Seen& what) {
    if (what.what == Seen::What::sent) seen.push_back(what.at);
  });
  const Nanoseconds sent = pair.network.now();
  pair.send(one, "first");
  pair.send(two, "second");
  CHECK(pair.client_end.send(two, {}, {}) == 0);
  pair.run();
  CHECK(pair.server.got == std::vector<std::string>{"first", "second", ""});
  CHECK(pair.server.at == std::vector<Nanoseconds>(3, sent + kLatency));
  CHECK(seen == std::vector<Nanoseconds>(3, sent + kLatency));
  CHECK(pair.got[0] == std::vector<std::string>{"first"});
  CHECK(pair.got[1] == std::vector<std::string>{"second", ""});
  CHECK(pair.network.now() >= sent + kLatency + 5 * kMillisecond);
  CHECK(pair.client_end.stats().datagrams_out.get() == 3);
  CHECK(pair.server_end.stats().datagrams_in.get() == 3);
  CHECK(pair.server_end.stats().bytes_out.get() == 11);
  CHECK(pair.client.errors.empty());
}

TEST_CASE("sim: jitter of datagrams never takes from the latency, and has its mean") {
  DatagramPair pair({}, {.path = {.jitter = 100 * kMicrosecond}});
  pair.bind();
  const Nanoseconds first = pair.send_many();
  double extra_ns = 0;
  REQUIRE(pair.server.got.size() == kMany);
  for (std::size_t i = 0; i < kMany; ++i) {
    const Nanoseconds least = first + std::stoull(pair.server.got[i]) * kMicrosecond + kLatency;
    REQUIRE(pair.server.at[i] >= least);
    extra_ns += static_cast<double>(pair.server.at[i] - least);
  }
  CHECK(extra_ns / kMany == doctest::Approx(1e5).epsilon(0.03));
}

TEST_CASE("sim: the share of the datagrams that was asked for is lost") {
  DatagramPair pair({}, {.path = {.loss = 0.1}});
  pair.bind();
  pair.send_many();
  check_share(kMany - pair.server.got.size(), 0.1);
  CHECK(std::ranges::is_sorted(pair.server.at));
  CHECK(pair.server_end.datagrams_dropped() == 0);
}

TEST_CASE("sim: the share of the datagrams that was asked for comes twice") {
  DatagramPair pair({}, {.path = {.duplication = 0.2}});
  pair.bind();
  pair.send_many();
  check_share(pair.server.got.size() - kMany, 0.2);
  std::ranges::sort(pair.server.got);
  CHECK(std::ranges::unique(pair.server.got).begin() - pair.server.got.begin() == kMany);
}

TEST_CASE("sim: the share of the datagrams that was asked for takes up to a detour longer") {
  DatagramPair pair({.turn_cost = 1}, {.path = {.reordering = 0.3}});
  pair.bind();
  const Nanoseconds first = pair.send_many();
  REQUIRE(pair.server.got.size() == kMany);
  std::uint64_t longer = 0, overtaken = 0;
  Nanoseconds detours = 0;
  std::uint64_t newest = 0;
  for (std::size_t i = 0; i < kMany; ++i) {
    const std::uint64_t number = std::stoull(pair.server.got[i]);
    const Nanoseconds detour = pair.server.at[i] - (first + number * kMicrosecond + kLatency);
    REQUIRE(detour <= kMillisecond + 1);
    longer += detour > 1;  // A turn takes one.
    detours += detour > 1 ? detour : 0;
    overtaken += number < newest;
    newest = std::max(newest, number);
  }
  check_share(longer, 0.3);
  CHECK(static_cast<double>(detours) / static_cast<double>(longer) ==
        doctest::Approx(5e5).epsilon(0.03));
  CHECK(overtaken > longer / 2);
}

TEST_CASE("sim: datagrams share the bandwidth of their end") {
  DatagramPair pair({}, {.path = {.bytes_per_second = 1e6}});
  pair.bind();
  DatagramConn& one = pair.open();
  DatagramConn& two = pair.open();
  const Nanoseconds sent = pair.network.now();
  for (DatagramConn* conn : {&one, &two}) pair.send(*conn, std::string(1'000, 'x'));
  pair.run();
  CHECK(pair.server.at ==
        std::vector{sent + kLatency + kMillisecond, sent + kLatency + 2 * kMillisecond});
}

TEST_CASE("sim: what meets a full socket is dropped, and counted where it is dropped") {
  DatagramPair pair({.stalls = {{2 * kSecond, 3 * kSecond}}, .datagram_queue = 8});
  pair.bind();
  DatagramConn& conn = pair.open();
  pair.network.at(2'500 * kMillisecond, [&] {
    for (int i = 0; i < 20; ++i) pair.send(conn, "datagram " + std::to_string(i));
  });
  pair.run();
  CHECK(pair.server.got.size() == 8);
  CHECK(pair.server.got.back() == "datagram 7");
  CHECK(pair.server.at == std::vector<Nanoseconds>(8, 3 * kSecond));
  CHECK(pair.server_end.datagrams_dropped() == 12);
  CHECK(pair.client_end.datagrams_dropped() == 0);
}

TEST_CASE("sim: where nobody is bound the sender hears so, a round trip later") {
  DatagramPair pair;
  DatagramConn& conn = pair.open();
  const Nanoseconds sent = pair.network.now();
  pair.send(conn, "anybody?");
  pair.run();
  CHECK(pair.client.errors == std::vector{ECONNREFUSED});
  CHECK(pair.client.at == std::vector{sent + 2 * kLatency});
  pair.bind();
  pair.send(conn, "again");
  pair.run();
  CHECK(pair.client.errors.size() == 1);
  CHECK(pair.server.got == std::vector<std::string>{"again"});
}

TEST_CASE("sim: an address is bound once") {
  DatagramPair pair;
  pair.bind();
  const auto again = pair.server_end.bind(kBound, {});
  REQUIRE_FALSE(again);
  CHECK(again.error().code == EADDRINUSE);
}

TEST_CASE("sim: a socket is read 128 times in a turn, and taken_until waits for the rest") {
  DatagramPair pair({.turn_cost = kMillisecond});
  pair.bind();
  DatagramConn& conn = pair.open();
  const Nanoseconds before = pair.server_end.taken_until();
  const Nanoseconds there = pair.network.now() + kLatency;
  pair.server.taken.clear();
  for (int i = 0; i < 129; ++i) pair.send(conn, "x");
  pair.run();
  REQUIRE(pair.server.at.size() == 129);
  CHECK(pair.server.at[127] == there);
  CHECK(pair.server.at[128] == there + kMillisecond);
  CHECK(pair.server.taken == std::vector{before, there + kMillisecond});
}

TEST_CASE("sim: datagrams have the same fate with the same seed, and another with another") {
  const auto run = [](std::uint64_t seed) {
    const Path path{
        .jitter = 10 * kMicrosecond, .loss = 0.1, .duplication = 0.1, .reordering = 0.1};
    DatagramPair pair({.path = path}, {.path = path}, seed);
    pair.bind();
    pair.server.answers = true;
    pair.send_many();
    return std::tuple(pair.server.got, pair.server.at, pair.got);
  };
  const auto once = run(7);
  CHECK((run(7) == once));
  CHECK((run(8) != once));
}
