// taken_until() of both reactors on real sockets, after a turn that left many of them waiting.
#include <doctest/doctest.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>

#include <memory>
#include <vector>

#include "client.h"
#include "server.h"

using namespace wiremark;
using namespace wiremark::net;

namespace {

/// Blocks the loop in mid-turn until it is released, and then checks that what the reactor says it
/// has delivered was delivered.
template <class R>
struct Behind : Echo {
  void on_open(Conn&) { opened.add(); }
  std::size_t on_data(Conn& conn, Bytes bytes) {
    got.add(bytes.size());
    return Echo::on_data(conn, bytes);
  }
  Nanoseconds on_turn(Nanoseconds now) {
    if (hold) {
      inside = true;
      eventually([&] { return !hold; });
      inside = false;
    }
    if (arrived > 0 && reactor->taken_until() >= arrived) {
      if (got.get() < expected) early = true;
      taken = true;
    }
    return now + kMillisecond;
  }

  StreamsOf<R>* reactor = nullptr;
  Counter opened, got;
  std::atomic<std::uint64_t> expected = 0;
  std::atomic<Nanoseconds> arrived = 0;  // When everything expected had arrived.
  std::atomic<bool> hold = false, inside = false, early = false, taken = false;
};

bool all_arrived(const Client& client) {
  int unacknowledged = 1;
  return ::ioctl(client.fd(), SIOCOUTQ, &unacknowledged) == 0 && unacknowledged == 0;
}

}  // namespace

TEST_CASE_TEMPLATE("nothing is said to be taken that still lies in a socket", R, EpollReactor,
                   UringReactor) {
  // More connections than a turn serves, each with more bytes than one receive brings.
  constexpr std::size_t kClients = 600, kEach = 3'000;
  ReactorOptions options;
  options.read_size = options.buffer_size = 1'024;
  options.buffers = 64;
  Behind<R> handler;
  Server<R, Behind<R>> server(handler, options);
  std::vector<std::unique_ptr<Client>> clients;
  for (std::size_t i = 0; i < kClients; ++i)
    clients.push_back(std::make_unique<Client>(server.address()));
  REQUIRE(eventually([&] { return handler.opened.get() == kClients; }));
  for (std::size_t round = 1; round <= 3; ++round) {
    handler.arrived = 0;
    handler.taken = false;
    handler.hold = true;
    REQUIRE(eventually([&] { return handler.inside.load(); }));
    for (auto& client : clients) REQUIRE(client->send(noise(kEach, round)));
    for (auto& client : clients) REQUIRE(eventually([&] { return all_arrived(*client); }));
    handler.expected = round * kClients * kEach;
    handler.arrived = now_ns();
    handler.hold = false;
    CHECK(eventually([&] { return handler.taken.load(); }));
    for (auto& client : clients) CHECK((client->receive(kEach) == noise(kEach, round)));
  }
  CHECK_FALSE(handler.early);
}

TEST_CASE_TEMPLATE("behind a full read the next ones are longer, and a turn stays as long", R,
                   EpollReactor) {
  struct Sized : Behind<R> {
    std::size_t on_data(Conn& conn, Bytes bytes) {
      sizes.push_back(bytes.size());
      return Behind<R>::on_data(conn, bytes);
    }
    std::vector<std::size_t> sizes;
  } handler;
  ReactorOptions options;
  options.read_size = 1'024;
  Server<R, Sized> server(handler, options);
  Client client(server.address());
  handler.hold = true;
  REQUIRE(eventually([&] { return handler.inside.load(); }));
  const std::string text = noise(40'000, 1);
  REQUIRE(client.send(text));
  REQUIRE(eventually([&] { return all_arrived(client); }));
  handler.hold = false;
  CHECK((client.receive(text.size()) == text));
  server.stop();
  CHECK(handler.sizes ==
        std::vector<std::size_t>{1'024, 8'192, 8'192, 1'024, 8'192, 8'192, 1'024, 4'160});
}

TEST_CASE_TEMPLATE("what is taken keeps up with a peer that never stops", R, EpollReactor,
                   UringReactor) {
  Behind<R> handler;
  Server<R, Behind<R>> server(handler);
  Client client(server.address());
  std::atomic<bool> over = false;
  std::thread flood([&] {
    const std::string text = noise(1 << 20, 1);
    while (!over) client.exchange(text);
  });
  for (int round = 0; round < 3; ++round) {
    handler.taken = false;
    handler.arrived = now_ns();
    CHECK(eventually([&] { return handler.taken.load(); }));
  }
  over = true;
  flood.join();
}
