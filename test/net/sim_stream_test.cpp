// The simulated network's streams: handshakes, splits, windows, and every way to end.
#include <doctest/doctest.h>

#include <set>

#include "net/concepts.h"
#include "sim_pair.h"

using namespace wiremark;
using namespace wiremark::net;
using namespace wiremark::net::sim;

static_assert(Streams<StreamEnd>);

namespace {

using What = Seen::What;

void pause_at_open(Conn& conn) { conn.pause(); }

}  // namespace

TEST_CASE("sim: both ends of a connection that is reset are told so, once") {
  Keeping pair;
  for (int i = 0; i < 3; ++i) pair.open();
  pair.server.reset_one();
  pair.run();
  CHECK(pair.servers.errors == std::vector{ECONNRESET});
  CHECK(pair.clients.errors == std::vector{ECONNRESET});
  CHECK(pair.server.connections() == 2);
  CHECK(pair.client.connections() == 2);
  for (int i = 0; i < 3; ++i) pair.server.reset_one();  // There are two.
  pair.run();
  CHECK(pair.servers.errors.size() == 3);
  CHECK(pair.clients.errors.size() == 3);
}

TEST_CASE("sim: after a half-close answers still come, and then an orderly end") {
  const std::string answer = noise(100'000);
  Keeping pair({.path = {.window = 1'000}});
  pair.servers.at_data = [&](Conn& conn, Bytes bytes) {
    conn.append(as_bytes(answer));
    return bytes.size();
  };
  const auto conn = pair.open();
  pair.post(conn, as_bytes("question"));
  pair.end_sending();
  CHECK(pair.servers.got[conn] == "question");
  CHECK((pair.clients.got[conn] == answer));
  CHECK(pair.servers.errors == std::vector{0});
  CHECK(pair.clients.errors == std::vector{0});
}

TEST_CASE("sim: whoever sends after its half-close is told that it cannot") {
  Keeping pair;
  const auto conn = pair.open();
  pair.client.half_close_one();
  pair.send(conn, as_bytes("x"));
  CHECK(pair.clients.errors == std::vector{EPIPE});
  CHECK(pair.servers.got[conn].empty());
}

TEST_CASE("sim: split reads end at any byte, and all bytes come in their order") {
  Keeping pair({.read_size = 8, .split = true});
  const auto conn = pair.open();
  Log server(pair.server);
  const std::string text = noise(16'000);
  for (std::size_t i = 0; i < text.size(); i += 16) pair.send(conn, as_bytes(text).subspan(i, 16));
  CHECK((pair.servers.got[conn] == text));
  std::set<std::uint64_t> sizes;
  std::uint64_t before = 0;
  for (const Seen& seen : server.all) sizes.insert(seen.bytes - std::exchange(before, seen.bytes));
  CHECK(sizes == std::set<std::uint64_t>{1, 2, 3, 4, 5, 6, 7, 8});
}

TEST_CASE("sim: a slow reader reads once in its pause") {
  Keeping pair({.read_size = 10, .slow_readers = 1, .slow_pause = 5 * kMillisecond});
  const auto conn = pair.open();
  Log server(pair.server);
  const Nanoseconds there = pair.idle() + kLatency;
  pair.send(conn, as_bytes(noise(40)));
  std::vector<Nanoseconds> reads;
  for (const Nanoseconds at : server.times(What::read)) reads.push_back(at - there);
  CHECK(reads ==
        std::vector<Nanoseconds>{0, 5 * kMillisecond, 10 * kMillisecond, 15 * kMillisecond});
  CHECK(pair.servers.got[conn] == noise(40));
}

TEST_CASE("sim: slow readers are the share of the connections that was asked for") {
  Keeping pair({.read_size = 1, .slow_readers = 0.25, .slow_pause = kSecond});
  std::vector<std::uint64_t> conns;
  for (int i = 0; i < 1'000; ++i) conns.push_back(pair.open());
  for (const auto conn : conns) pair.post(conn, as_bytes("xy"));
  pair.run(pair.network.now() + kSecond / 2);
  int slow = 0;
  for (const auto conn : conns) slow += pair.servers.got[conn].size() == 1;
  CHECK(slow > 195);  // 4 standard deviations.
  CHECK(slow < 305);
}

TEST_CASE("sim: a full window stops the sender until its reader reads") {
  constexpr std::size_t kWindow = 3'000;
  Keeping pair({.read_size = 700}, {.path = {.window = kWindow}});
  pair.servers.at_open = pause_at_open;
  const auto conn = pair.open();
  const std::string text = noise(100'000);
  pair.send(conn, as_bytes(text));
  CHECK(pair.client.stats().bytes_out.get() == kWindow);
  CHECK(pair.clients.conns.at(conn)->out.size() == text.size() - kWindow);
  CHECK(pair.servers.got[conn].empty());
  pair.server.watch([&](const Seen& seen) {
    if (seen.what == What::read) CHECK(pair.client.stats().bytes_out.get() - seen.bytes <= kWindow);
  });
  pair.server.resume(pair.at_server(conn));
  pair.run();
  CHECK((pair.servers.got[conn] == text));
}

TEST_CASE("sim: with too much unsent a connection is not read until half of it has left") {
  EndOptions limited{.path = {.window = 100}};
  limited.reactor.output_limit = 1'000;
  Keeping pair({}, limited);
  pair.servers.at_open = pause_at_open;
  const auto conn = pair.open();
  pair.send(conn, as_bytes(noise(1'100)));
  CHECK(pair.client.stats().pauses.get() == 0);  // 1,000 unsent are allowed.
  pair.send(conn, as_bytes("x"));
  CHECK(pair.client.stats().pauses.get() == 1);
  Conn& own = pair.at_server(conn);
  own.append(as_bytes("hello"));
  pair.server.flush(own);
  pair.run();
  CHECK(pair.clients.got[conn].empty());
  std::size_t unsent = 0;
  pair.clients.at_data = [&](Conn& conn_there, Bytes bytes) {
    unsent = conn_there.out.size();
    return bytes.size();
  };
  pair.server.resume(own);
  pair.run();
  CHECK(pair.clients.got[conn] == "hello");
  CHECK(unsent == 401);  // The first window that leaves 500 or less.
  CHECK(pair.servers.got[conn].size() == 1'101);
}

TEST_CASE("sim: a full queue of a listener makes clients ask again after 1 s, 3 s, 7 s") {
  Keeping pair({.stalls = {{kSecond, 5 * kSecond}}, .backlog = 1});
  Log client(pair.client);
  const Nanoseconds answered = pair.idle() + 2 * kLatency;
  for (int i = 0; i < 3; ++i) pair.connect();
  pair.run();
  CHECK(client.times(What::opened) ==
        std::vector{answered, answered + 7 * kSecond, answered + 15 * kSecond});
  CHECK(pair.server.stats().accepted.get() == 3);
}

TEST_CASE("sim: after 127 s of a full queue a client gives up, and was never open") {
  Keeping pair({.stalls = {{kSecond, 200 * kSecond}}, .backlog = 1});
  Log client(pair.client);
  const Nanoseconds asked = pair.idle();
  pair.connect();
  pair.connect();
  pair.run(199 * kSecond);
  CHECK(pair.clients.errors == std::vector{ETIMEDOUT});
  CHECK(client.times(What::closed) == std::vector{asked + 127 * kSecond});
  CHECK(client.times(What::opened).size() == 1);
  CHECK(pair.server.connections() == 0);  // Nobody has accepted the other one.
}

TEST_CASE("sim: where nobody listens a connection is refused, and was never open") {
  Pair pair;
  Log client(pair.client);
  pair.open();
  CHECK(pair.clients.errors == std::vector{ECONNREFUSED});
  CHECK(client.times(What::closed) == std::vector{2 * kLatency});
  CHECK(client.times(What::opened).empty());
  CHECK(pair.client.connections() == 0);
}

TEST_CASE("sim: an address has one listener") {
  Keeping pair;
  const auto again = pair.client.listen(kServer, {});
  REQUIRE_FALSE(again);
  CHECK(again.error().code == EADDRINUSE);
}

TEST_CASE("sim: a connection over the limit is closed at once, and no handler hears of it") {
  EndOptions limited;
  limited.reactor.max_connections = 2;
  Keeping pair(limited);
  const auto first = pair.connect();
  const auto second = pair.connect();
  pair.connect();
  pair.run();
  CHECK(pair.server.stats().accepted.get() == 2);
  CHECK(pair.server.stats().refused.get() == 1);
  CHECK(pair.servers.conns.size() == 2);
  CHECK(pair.servers.conns.contains(first));
  CHECK(pair.servers.conns.contains(second));
  CHECK(pair.servers.errors.empty());
  CHECK(pair.clients.errors == std::vector{0});
  CHECK(pair.server.connections() == 2);
}

TEST_CASE("sim: bytes for a peer that is gone bring a reset") {
  Keeping pair({}, {.path = {.window = 10}});
  const auto conn = pair.open();
  pair.server.close(pair.at_server(conn));
  pair.send(conn, as_bytes(noise(100)));  // Before the end of the other is there.
  CHECK(pair.clients.errors == std::vector{ECONNRESET});
  CHECK(pair.servers.errors == std::vector{0});
  CHECK(pair.servers.got[conn].empty());
}

TEST_CASE("sim: a close leaves unread bytes to a reset, behind what was sent before it") {
  for (const bool unread : {false, true}) {
    Keeping pair;
    pair.servers.at_open = pause_at_open;
    const auto conn = pair.open();
    if (unread) pair.send(conn, as_bytes("x"));
    Conn& own = pair.at_server(conn);
    own.append(as_bytes("last words"));
    pair.server.flush(own);
    pair.server.close(own);
    pair.run();
    CHECK(pair.clients.got[conn] == "last words");
    CHECK(pair.clients.errors == std::vector{unread ? ECONNRESET : 0});
    CHECK(pair.servers.errors == std::vector{0});
  }
}

TEST_CASE("sim: a paused connection is not read, and gets what it left over first") {
  Keeping pair;
  std::size_t takes = 2;
  pair.servers.at_data = [&](Conn& conn, Bytes bytes) {
    if (takes < bytes.size()) conn.pause();
    return std::min(takes, bytes.size());
  };
  const auto conn = pair.open();
  pair.send(conn, as_bytes("abcdef"));
  pair.send(conn, as_bytes("ghi"));
  Conn& own = pair.at_server(conn);
  CHECK(pair.servers.got[conn] == "ab");
  CHECK(as_text(own.stash.view()) == "cdef");
  takes = 3;
  pair.server.resume(own);
  CHECK(pair.servers.got[conn] == "ab");  // In the next turn.
  pair.run();
  CHECK(pair.servers.got[conn] == "abcde");
  takes = 100;
  pair.server.resume(own);
  own.pause();  // It has thought better of it.
  pair.run();
  CHECK(pair.servers.got[conn] == "abcde");
  pair.server.resume(own);
  pair.run();
  CHECK(pair.servers.got[conn] == "abcdefghi");
}

TEST_CASE("sim: more left over than allowed ends a connection") {
  EndOptions limited;
  limited.reactor.stash_limit = 10;
  Keeping pair(limited);
  pair.servers.at_data = [](Conn&, Bytes) { return std::size_t{0}; };
  const auto conn = pair.open();
  pair.send(conn, as_bytes("0123456789"));
  CHECK(pair.servers.errors.empty());
  pair.send(conn, as_bytes("x"));
  CHECK(pair.servers.errors == std::vector{EMSGSIZE});
}

TEST_CASE("sim: what was lent before a frame without end arrives") {
  EndOptions limited;
  limited.reactor.stash_limit = 30;
  Keeping pair(limited);
  pair.servers.at_data = [](Conn& conn, Bytes bytes) {
    conn.lend(bytes.first(4));
    return std::size_t{4};
  };
  const std::vector conns = {pair.open(), pair.open()};
  for (const std::size_t i : {0u, 1u})  // Of one turn: the longer one needs more memory.
    pair.post(conns[i], as_bytes(noise(100 + 10'000 * i)));
  pair.run();
  CHECK(pair.servers.errors == std::vector{EMSGSIZE, EMSGSIZE});
  for (const auto conn : conns) CHECK(pair.clients.got[conn] == noise(4));
}

TEST_CASE("sim: there is no socket to release, and its connection ends") {
  Keeping pair;
  const auto conn = pair.open();
  bool released = true;
  pair.servers.at_close = [&](Conn& own) {
    released = static_cast<bool>(pair.server.release(own));
  };
  pair.server.close(pair.at_server(conn));
  pair.run();
  CHECK_FALSE(released);
  CHECK(pair.clients.errors == std::vector{0});
}
