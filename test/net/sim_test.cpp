// The simulated network: each promise of a path and of a loop, held alone.
#include <doctest/doctest.h>

#include "sim_pair.h"

using namespace wiremark;
using namespace wiremark::net;
using namespace wiremark::net::sim;

namespace {

using What = Seen::What;

std::size_t echo(Conn& conn, Bytes bytes) {
  conn.append(bytes);
  return bytes.size();
}

}  // namespace

TEST_CASE("sim: what happens at one time happens in the order in which it was asked for") {
  Network network(1);
  std::string order;
  network.at(20, [&] { order += 'c'; });
  network.at(10, [&] {
    CHECK(network.now() == 10);
    order += 'a';
    network.at(20, [&] { order += 'e'; });
  });
  network.at(20, [&] { order += 'd'; });
  network.at(10, [&] { order += 'b'; });
  Stop stop;
  CHECK_FALSE(network.run(stop, 20));
  CHECK(order == "ab");
  CHECK(network.run(stop, 21));
  CHECK(order == "abcde");
  network.at(30, [&] { stop.request(); });
  network.at(31, [&] { order += 'f'; });
  CHECK(network.run(stop, kNever));
  CHECK(order == "abcde");
}

TEST_CASE("sim: bytes and handshakes take the latency of the way they go") {
  Keeping pair({.path = {.latency = 5 * kMillisecond}}, {.path = {.latency = 3 * kMillisecond}});
  Log server(pair.server), client(pair.client);
  pair.servers.at_data = echo;
  const auto conn = pair.open();
  CHECK(client.times(What::opened) == std::vector{8 * kMillisecond});
  const Nanoseconds sent = pair.idle();
  pair.send(conn, as_bytes("question"));
  CHECK(client.times(What::sent) == std::vector{sent});
  CHECK(server.times(What::read) == std::vector{sent + 3 * kMillisecond});
  CHECK(client.times(What::read) == std::vector{sent + 8 * kMillisecond});
}

TEST_CASE("sim: jitter comes on top of the latency, exponentially") {
  constexpr std::uint64_t kMessages = 20'000;
  Keeping pair({}, {.path = {.jitter = kMillisecond}});
  const auto conn = pair.open();
  Log server(pair.server);
  const Nanoseconds first = pair.network.now();
  // So far apart that hardly any has to wait for the one before it.
  for (std::uint64_t i = 0; i < kMessages; ++i)
    pair.network.at(first + i * 20 * kMillisecond, [&] { pair.post(conn, as_bytes("x")); });
  pair.run();
  std::uint64_t bytes = 0, over_a_mean = 0;
  Nanoseconds extra = 0;
  for (const Seen& seen : server.all) {
    for (; bytes < seen.bytes; ++bytes) {
      const Nanoseconds least = first + bytes * 20 * kMillisecond + kLatency;
      REQUIRE(seen.arrived >= least);
      extra += seen.arrived - least;
      over_a_mean += seen.arrived - least > kMillisecond;
    }
  }
  CHECK(bytes == kMessages);
  // 4 standard deviations; 1/e of an exponential distribution is over its mean.
  CHECK(static_cast<double>(extra) / kMessages == doctest::Approx(1e6).epsilon(0.03));
  CHECK(static_cast<double>(over_a_mean) / kMessages == doctest::Approx(0.3679).epsilon(0.04));
}

TEST_CASE("sim: jitter does not change the order of a stream, its end included") {
  Keeping pair({}, {.path = {.jitter = kMillisecond}});
  const auto conn = pair.open();
  const std::string text = noise(1'000);
  for (std::size_t i = 0; i < text.size(); ++i) {
    pair.network.at(2 * kSecond + i * kMicrosecond,
                    [&, i] { pair.post(conn, as_bytes(text).subspan(i, 1)); });
  }
  pair.network.at(2 * kSecond + kMillisecond, [&] { pair.client.half_close_one(); });
  pair.run();
  CHECK((pair.servers.got[conn] == text));
  CHECK(pair.servers.errors == std::vector{0});
}

TEST_CASE("sim: the connections of an end share its bandwidth, and the way back has its own") {
  Keeping pair({}, {.path = {.bytes_per_second = 1e6, .window = 1 << 20}});
  std::vector<std::uint64_t> conns;
  for (int i = 0; i < 10; ++i) conns.push_back(pair.open());
  Log server(pair.server), client(pair.client);
  const Nanoseconds sent = pair.idle();
  for (const auto conn : conns) pair.post(conn, as_bytes(noise(50'000)));
  pair.at_server(conns[0]).append(as_bytes(noise(50'000)));
  pair.server.flush(pair.at_server(conns[0]));
  pair.run();
  const auto reads = server.times(What::read);
  REQUIRE(reads.size() == conns.size());
  for (std::size_t i = 0; i < reads.size(); ++i)
    CHECK(reads[i] == sent + (i + 1) * 50 * kMillisecond + kLatency);
  CHECK(client.times(What::read) == std::vector{sent + kLatency});
}

TEST_CASE("sim: what happens to datagrams does not happen to streams") {
  const Path path{.loss = 0.5, .duplication = 0.5, .reordering = 0.5};
  Keeping pair({.path = path}, {.path = path});
  const auto conn = pair.open();
  Log server(pair.server);
  const std::string text = noise(1'000);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const Nanoseconds sent = pair.idle();
    pair.send(conn, as_bytes(text).subspan(i, 1));
    REQUIRE(server.all.back().at == sent + kLatency);
  }
  CHECK(pair.servers.got[conn] == text);
}

TEST_CASE("sim: nothing is called while a loop stands still, and what was due comes right after") {
  const Stall stall{10 * kMillisecond, 20 * kMillisecond};
  for (const bool server_stalls : {false, true}) {
    CAPTURE(server_stalls);
    const EndOptions stalled{.stalls = {stall}};
    Keeping pair(server_stalls ? stalled : EndOptions{}, server_stalls ? EndOptions{} : stalled);
    std::vector<Nanoseconds> turns;
    (server_stalls ? pair.servers : pair.clients).at_turn = [&](Nanoseconds now) {
      turns.push_back(now);
      return now < 30 * kMillisecond ? now + kMillisecond : kNever;
    };
    const auto conn = pair.connect();
    Log server(pair.server), client(pair.client);
    pair.servers.at_data = echo;
    for (Nanoseconds at = kMillisecond; at < 30 * kMillisecond; at += kMillisecond)
      pair.network.at(at, [&] { pair.post(conn, as_bytes("x")); });
    pair.run();
    const Log& there = server_stalls ? server : client;
    std::uint64_t by_then = 0;
    for (const Seen& seen : there.all) {
      if (seen.what != What::read) continue;
      CHECK((seen.at < stall.from || seen.at >= stall.to));
      if (seen.at == stall.to) by_then = seen.bytes;
    }
    CHECK(by_then == 19);  // Of those sent in the milliseconds 1 to 19.
    CHECK(std::ranges::find(turns, stall.to) != turns.end());
    for (const Nanoseconds turn : turns) CHECK((turn < stall.from || turn >= stall.to));
    CHECK(pair.clients.got[conn].size() == 29);
  }
}

TEST_CASE("sim: a loop stands still in the middle of a turn, too") {
  constexpr Nanoseconds kSent = 50 * kMillisecond;
  constexpr Nanoseconds kThere = kSent + kLatency;
  Keeping pair({.stalls = {{kThere + 2'500 * kMicrosecond, kThere + 10 * kMillisecond}},
                .delivery_cost = kMillisecond});
  std::vector<std::uint64_t> conns;
  for (int i = 0; i < 4; ++i) conns.push_back(pair.open());
  Log server(pair.server);
  pair.network.at(kSent, [&] {
    for (const auto conn : conns) pair.post(conn, as_bytes("x"));
  });
  pair.run();
  CHECK(server.times(What::read) == std::vector{kThere + kMillisecond, kThere + 2 * kMillisecond,
                                                kThere + 10'500 * kMicrosecond,
                                                kThere + 11'500 * kMicrosecond});
}

TEST_CASE("sim: a sleep ends late, and what a loop does takes its time") {
  Keeping pair({.wake_cost = 7, .delivery_cost = 20, .send_cost = 300});
  const auto conn = pair.open();
  std::vector<Nanoseconds> times;
  const Nanoseconds there = pair.idle() + kLatency;
  pair.servers.at_data = [&](Conn& own, Bytes bytes) {
    times.push_back(pair.server.now() - there);
    own.append(bytes);
    pair.server.flush(own);
    times.push_back(pair.server.now() - there);
    return bytes.size();
  };
  pair.send(conn, as_bytes("x"));
  CHECK(times == std::vector<Nanoseconds>{27, 327});
}

TEST_CASE("sim: kernel timestamps say when the last byte of a delivery came, if asked for") {
  for (const bool asked : {false, true}) {
    EndOptions options{.wake_cost = 5 * kMillisecond, .read_size = 3};
    options.reactor.receive_timestamps = asked;
    Keeping pair(options);
    const auto conn = pair.open();
    std::vector<Nanoseconds> received;
    pair.servers.at_data = [&](Conn&, Bytes bytes) {
      received.push_back(pair.server.received());
      return bytes.size();
    };
    const Nanoseconds first = pair.idle();
    pair.network.at(first, [&] { pair.post(conn, as_bytes("abcd")); });
    pair.network.at(first + kMillisecond, [&] { pair.post(conn, as_bytes("efg")); });
    pair.run();
    const Nanoseconds then = first + kLatency, later = then + kMillisecond;
    CHECK(received ==
          (asked ? std::vector{then, later, later} : std::vector<Nanoseconds>{0, 0, 0}));
  }
}

TEST_CASE("sim: taken_until stays behind while a turn leaves something") {
  Keeping pair({.turn_cost = kMillisecond, .events_per_turn = 1});
  std::vector<std::uint64_t> conns;
  for (int i = 0; i < 3; ++i) conns.push_back(pair.open());
  const Nanoseconds there = pair.idle() + kLatency;
  const Nanoseconds before = pair.server.taken_until();
  std::vector<Nanoseconds> taken;
  pair.servers.at_turn = [&](Nanoseconds) {
    taken.push_back(pair.server.taken_until());
    return kNever;
  };
  for (const auto conn : conns) pair.post(conn, as_bytes("x"));
  pair.run();
  CHECK(taken == std::vector{before, before, there + 2 * kMillisecond});
}

TEST_CASE("sim: nothing is delivered that had come before taken_until") {
  Keeping pair({.path = {}, .events_per_turn = 2, .read_size = 1, .split = true},
               {.path = {.jitter = kMillisecond}});
  std::uint64_t left = 0;
  pair.server.watch([&](const Seen& seen) {
    if (seen.what != What::read) return;
    REQUIRE(seen.arrived >= pair.server.taken_until());
    left += seen.arrived < pair.server.woke();
  });
  std::vector<std::uint64_t> conns;
  for (int i = 0; i < 10; ++i) conns.push_back(pair.open());
  for (const auto conn : conns) pair.post(conn, as_bytes(noise(1'000)));
  pair.run();
  CHECK(left > 1'000);  // By the turn in which it came.
}

TEST_CASE("sim: a connection is read 16 times in a turn, then it is another's") {
  Keeping pair({.turn_cost = kMillisecond, .read_size = 1});
  const auto conn = pair.open();
  Log server(pair.server);
  const Nanoseconds there = pair.idle() + kLatency;
  pair.send(conn, as_bytes(noise(17)));
  const auto reads = server.times(What::read);
  REQUIRE(reads.size() == 17);
  CHECK(reads[15] == there);
  CHECK(reads[16] == there + kMillisecond);
}

TEST_CASE("sim: the same seed gives the same run, event for event, and another seed another") {
  const auto run = [](std::uint64_t seed) {
    const EndOptions options{.path = {.latency = kMillisecond, .jitter = kMillisecond},
                             .split = true,
                             .slow_readers = 0.5};
    Keeping pair(options, options, seed);
    pair.servers.at_data = echo;
    Log server(pair.server), client(pair.client);
    std::vector<std::uint64_t> conns;
    for (int i = 0; i < 10; ++i) conns.push_back(pair.open());
    for (const auto conn : conns) pair.post(conn, as_bytes(noise(1'000)));
    pair.network.at(pair.network.now() + 2 * kMillisecond, [&] { pair.server.reset_one(); });
    pair.network.at(pair.network.now() + 3 * kMillisecond, [&] { pair.client.half_close_one(); });
    pair.run();
    std::string told;
    for (const Log* log : {&server, &client}) {
      for (const Seen& seen : log->all) {
        for (const std::uint64_t figure :
             {static_cast<std::uint64_t>(seen.what), seen.connection, seen.bytes, seen.at,
              seen.arrived, seen.unread, static_cast<std::uint64_t>(seen.error)})
          told += std::to_string(figure) + ' ';
        told += '\n';
      }
    }
    return told;
  };
  const std::string once = run(7);
  CHECK(std::ranges::count(once, '\n') > 300);
  CHECK((run(7) == once));
  CHECK((run(8) != once));
}
