// Waiting in batches, on real sockets: what a batch gathers, and what ends it.
#include <doctest/doctest.h>

#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "client.h"
#include "frame_echo.h"
#include "server.h"

using namespace wiremark;
using namespace wiremark::net;

namespace {

ReactorOptions waiting(const char* how) {
  ReactorOptions options;
  options.wait = WaitPolicy::parse(how).value();
  return options;
}

/// Answers each message when a deadline of 1 ms has passed, and keeps the shortest time it took.
template <class R>
struct Delayed {
  void on_open(Conn&) {}
  std::size_t on_data(Conn& conn, Bytes bytes) {
    client = &conn;
    arrived = now_ns();
    return bytes.size();
  }
  void on_close(Conn&, int) {}
  Nanoseconds on_turn(Nanoseconds now) {
    if (arrived == 0) return kNever;
    if (now < arrived + kMillisecond) return arrived + kMillisecond;
    shortest = std::min(shortest.load(), now - arrived);
    arrived = 0;
    client->append(as_bytes(std::string_view("!")));
    reactor->flush(*client);
    return kNever;
  }

  StreamsOf<R>* reactor = nullptr;
  Conn* client = nullptr;
  Nanoseconds arrived = 0;
  std::atomic<Nanoseconds> shortest = kNever;
};

}  // namespace

TEST_CASE_TEMPLATE("a batch makes one turn of many events", R, EpollReactor, UringReactor) {
  constexpr std::size_t kMessages = 100;
  constexpr Nanoseconds kGathering = 100 * kMillisecond;
  Echo echo;
  Server<R, Echo> server(echo, waiting("batch:100ms"));
  Client client(server.address());
  REQUIRE((client.exchange("x") == "x"));
  const std::uint64_t before = server.stats().turns.get();
  const Nanoseconds begun = now_ns();
  for (std::size_t i = 0; i < kMessages; ++i) {  // One by one, a moment apart.
    REQUIRE(client.send("x"));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK(client.receive(kMessages).size() == kMessages);
  const std::uint64_t turns = server.stats().turns.get() - before;
  const Nanoseconds time = now_ns() - begun;
  CAPTURE(turns);
  CAPTURE(time);
  // A gathering lasts that long, and none of the messages ends it.
  CHECK(turns <= static_cast<std::uint64_t>(time / kGathering) + 2);
}

TEST_CASE_TEMPLATE("a deadline ends the gathering of a batch", R, EpollReactor, UringReactor) {
  Delayed<R> handler;
  Server<R, Delayed<R>> server(handler, waiting("batch:100ms"));
  Client client(server.address());
  // If a gathering always slept to its end, none were shorter than 100 ms. One in twenty must be.
  for (int i = 0; i < 20 && handler.shortest >= 100 * kMillisecond; ++i)
    CHECK((client.exchange("?") == "!"));
  CHECK(handler.shortest < 100 * kMillisecond);
}

TEST_CASE_TEMPLATE("streams come back whole whatever the wait", R, EpollReactor, UringReactor) {
  std::string frames;
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) frames += frame(noise(random() % 5'000, i));
  for (const char* how : {"spin", "adaptive:20us", "batch:200us", "batch:5ms"}) {
    CAPTURE(how);
    FrameEcho echo;
    ListenOptions small;
    small.send_buffer = small.receive_buffer = 8'192;
    Server<R, FrameEcho> server(echo, waiting(how), "127.0.0.1:0", small);
    std::vector<std::unique_ptr<Client>> clients;
    for (int i = 0; i < 100; ++i) clients.push_back(std::make_unique<Client>(server.address()));
    for (auto& client : clients) CHECK(client->send(frame("hello")));
    for (auto& client : clients) CHECK((client->receive(frame("hello").size()) == frame("hello")));
    CHECK((clients[0]->exchange(frames, 4'099) == frames));
    for (auto& client : clients) client->close();
    CHECK(eventually([&] { return server.stats().accepted.get() == 100; }));
  }
}
