// What only the io_uring reactor can get wrong: buffers that run out, submissions in mid-turn.
#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <vector>

#include "client.h"
#include "frame_echo.h"
#include "server.h"

using namespace wiremark;
using namespace wiremark::net;

namespace {

/// On a request, makes more submissions in on_turn than the queue holds, while its one client's
/// bytes wait, and only then lends more than the socket takes.
struct LendsLate {
  void on_open(Conn& conn) { client = conn.user == nullptr ? &conn : client; }
  std::size_t on_data(Conn& conn, Bytes bytes) {
    conn.lend(bytes);
    return bytes.size();
  }
  void on_close(Conn&, int) { ++closed; }
  Nanoseconds on_turn(Nanoseconds now) {
    if (!go.exchange(false)) return now + kMillisecond;
    inside = true;
    eventually([&] { return sent.load(); });
    for (int i = 0; i < 1'100; ++i) {  // Its queue holds 1,024 entries.
      auto socket = socket_for(nowhere);
      if (socket) reactor->connect(std::move(*socket), nowhere, this);
    }
    client->lend(as_bytes(text));
    reactor->flush(*client);
    return now + kMillisecond;
  }

  UringReactor* reactor = nullptr;
  Conn* client = nullptr;
  Address nowhere = address("unix:/nonexistent/wiremark.socket");
  const std::string text = noise(8 << 20, 1);
  std::atomic<bool> go = false, inside = false, sent = false;
  std::atomic<int> closed = 0;
};

}  // namespace

TEST_CASE_TEMPLATE("with too few buffers nothing is lost or reordered", R, UringReactor) {
  for (const unsigned buffers : {1u, 2u}) {
    CAPTURE(buffers);
    Echo echo;
    ReactorOptions options;
    options.buffers = buffers;
    options.buffer_size = 64;
    Server<R, Echo> server(echo, options);
    std::vector<std::unique_ptr<Client>> clients;
    for (int i = 0; i < 200; ++i) clients.push_back(std::make_unique<Client>(server.address()));
    for (std::size_t i = 0; i < clients.size(); ++i) CHECK(clients[i]->send(noise(3'000, i)));
    for (std::size_t i = 0; i < clients.size(); ++i)
      CHECK((clients[i]->receive(3'000) == noise(3'000, i)));
    CHECK(server.stats().out_of_buffers.get() > 0);
  }
}

TEST_CASE_TEMPLATE("a lent send cut short keeps its place before what is sent after it", R,
                   UringReactor) {
  for (int round = 0; round < 5; ++round) {
    LendsLate handler;
    Server<R, LendsLate> server(handler);
    Client client(server.address(), 4'096);
    REQUIRE((client.exchange("hello") == "hello"));
    handler.go = true;
    REQUIRE(eventually([&] { return handler.inside.load(); }));
    const std::string last = noise(1'000, 3);
    REQUIRE(client.send(last));
    handler.sent = true;
    CHECK((client.receive(handler.text.size() + last.size()) == handler.text + last));
    CHECK(eventually([&] { return handler.closed == 1'100; }));
  }
}
