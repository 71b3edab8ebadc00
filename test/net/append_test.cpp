// Answers that are appended, or lent until the flush, on real sockets: they are sent as soon as
// lent ones, in order, and hold no memory afterwards.
#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "client.h"
#include "frame_echo.h"
#include "net/uring_sends.h"
#include "server.h"

using namespace wiremark;
using namespace wiremark::net;

namespace {

/// Answers whole frames with copies of them. With `brief` from one buffer for all connections,
/// which the next answer overwrites.
struct FrameCopy : Echo {
  std::size_t on_data(Conn& conn, Bytes bytes) {
    std::size_t used = 0;
    while (const std::size_t size = whole_frame(bytes.subspan(used))) {
      put(conn, bytes.subspan(used, size));
      used += size;
    }
    return used;
  }
  void put(Conn& conn, Bytes bytes) {
    if (!brief) return conn.append(bytes);
    conn.copy_lent();
    memory.assign(bytes.begin(), bytes.end());
    conn.lend_until_flush(memory);
  }

  std::atomic<bool> brief = false;
  std::vector<std::byte> memory;
};

/// The same, and also does what the test says with the connection.
template <class R>
struct Ending : FrameCopy {
  enum class How { finish, close, flush_and_close };

  std::size_t on_data(Conn& conn, Bytes bytes) {
    const std::size_t used = FrameCopy::on_data(conn, bytes);
    if (conn.out.empty() && conn.lent_size == 0) return used;
    if (how == How::finish) conn.finish();
    if (how == How::flush_and_close) reactor->flush(conn);
    if (how != How::finish) reactor->close(conn, ECANCELED);
    return used;
  }

  How how = How::finish;
  StreamsOf<R>* reactor = nullptr;
};

/// Counts in every turn the connections that hold memory for bytes on their way out.
template <class R>
struct Weighed : FrameCopy {
  Nanoseconds on_turn(Nanoseconds) {
    std::size_t count = 0;
    reactor->for_each([&](Conn& conn) { count += !conn.out.empty() || conn.sending; });
    holding = count;
    return kNever;
  }

  StreamsOf<R>* reactor = nullptr;
  std::atomic<std::size_t> holding = 0;
};

/// When told to, does something with all its connections in one turn.
template <class R>
struct Prompted : FrameCopy {
  virtual ~Prompted() = default;
  virtual void act() = 0;

  void on_open(Conn& conn) {
    conns.push_back(&conn);
    opened.add();
  }
  Nanoseconds on_turn(Nanoseconds now) {
    if (go.exchange(false)) act();
    return now + kMillisecond;
  }

  StreamsOf<R>* reactor = nullptr;
  std::vector<Conn*> conns;
  std::atomic<bool> go = false;
  Counter opened;
};

/// Sends each connection a text of its own.
template <class R>
struct Shouts : Prompted<R> {
  void act() override {
    for (std::size_t i = 0; i < this->conns.size(); ++i) {
      Conn& conn = *this->conns[i];
      this->put(conn, as_bytes(noise(sizes[i % sizes.size()], i)));
      this->reactor->flush(conn);
      this->put(conn, as_bytes(noise(10, i)));
      this->reactor->flush(conn);
    }
  }

  std::vector<std::size_t> sizes;
};

/// Lends its first connection two texts, and between them gives its second connection one.
template <class R>
struct Between : Prompted<R> {
  void act() override {
    lend(*this->conns[0], front);
    if (copied) {
      this->conns[1]->append(as_bytes(between));
      this->reactor->flush(*this->conns[1]);
    } else {
      lend(*this->conns[1], between);
    }
    lend(*this->conns[0], rest);
  }
  void lend(Conn& conn, const std::string& text) {
    conn.lend(as_bytes(text));
    this->reactor->flush(conn);
  }

  bool copied = true;
  const std::string front = noise(100'000, 1), between = noise(200'000, 2),
                    rest = noise(100'000, 3);
};

/// `count` frames of up to `longest` bytes, in one text.
std::string random_frames(int count, unsigned longest, unsigned seed) {
  std::mt19937 random(seed);
  std::string frames;
  for (int n = 0; n < count; ++n) frames += frame(noise(random() % longest, 1'000 * seed + n));
  return frames;
}

ListenOptions small_sockets() {
  ListenOptions small;
  small.send_buffer = small.receive_buffer = 4'096;
  return small;
}

}  // namespace

TEST_CASE_TEMPLATE("an appended answer takes no turn of its own", R, EpollReactor, UringReactor) {
  for (const bool brief : {false, true}) {
    CAPTURE(brief);
    FrameCopy handler;
    handler.brief = brief;
    Server<R, FrameCopy> server(handler);
    Client client(server.address());
    const std::string text = frame(noise(120, 1));
    CHECK((client.exchange(text) == text));
    const std::uint64_t before = server.stats().turns.get();
    constexpr unsigned kAnswers = 400;
    for (unsigned i = 0; i < kAnswers; ++i) REQUIRE((client.exchange(text) == text));
    CHECK(server.stats().turns.get() - before < kAnswers + kAnswers / 2);
  }
}

TEST_CASE_TEMPLATE("what was appended is counted as copied, once", R, EpollReactor, UringReactor) {
  FrameCopy handler;
  Server<R, FrameCopy> server(handler, {}, "127.0.0.1:0", small_sockets());
  Client client(server.address(), 4'096);
  const std::string frames = random_frames(100, 30'000, 2);
  CHECK((client.exchange(frames) == frames));
  CHECK(eventually([&] { return server.stats().bytes_out.get() == frames.size(); }));
  CHECK(server.stats().copied.get() == frames.size());
}

TEST_CASE_TEMPLATE("a slow reader gets appended answers whole and in order", R, EpollReactor,
                   UringReactor) {
  for (const auto& [longest, brief] : {std::pair(200u, false), std::pair(200u, true),
                                       std::pair(3'000u, false), std::pair(70'000u, true)}) {
    CAPTURE(longest);
    CAPTURE(brief);
    FrameCopy handler;
    handler.brief = brief;
    ReactorOptions options;
    options.buffers = 64;
    options.buffer_size = options.read_size = 2'048;
    options.output_limit = 16'000;
    Server<R, FrameCopy> server(handler, options, "127.0.0.1:0", small_sockets());
    std::atomic<int> intact = 0;
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 4; ++i) {
      threads.emplace_back([&intact, &server, i, size = longest, to = server.address()] {
        Client client(to, 4'096);
        const std::string frames = random_frames(400'000 / size + 20, size, i);
        std::thread writer([&] { client.send(frames); });
        eventually([&] { return server.stats().pauses.get() >= 4; });  // Every buffer is full.
        std::string back;
        while (back.size() < frames.size()) {
          const std::string piece =
              client.receive(std::min(frames.size() - back.size(), 1 + i * 997uz));
          if (piece.empty()) break;
          back += piece;
        }
        writer.join();
        intact += back == frames;
      });
    }
    for (auto& thread : threads) thread.join();
    CHECK(intact == 4);
    CHECK(server.stats().pauses.get() > 0);
  }
}

TEST_CASE_TEMPLATE("an answer appended right before the end arrives before it", R, EpollReactor,
                   UringReactor) {
  Ending<R> handler;
  Server<R, Ending<R>> server(handler, {}, "127.0.0.1:0", small_sockets());
  std::uint64_t rounds = 0;
  for (const std::size_t size : {1u, 500u, 100'000u, 1'000'000u}) {
    CAPTURE(size);
    for (int i = 0; i < 10; ++i) {
      handler.brief = i % 2 != 0;
      Client client(server.address(), 4'096);
      const std::string text = frame(noise(size, i));
      CHECK((client.exchange(text) == text));
      CHECK(client.at_end());
      ++rounds;
    }
  }
  CHECK(eventually([&] { return handler.closed.get() == rounds; }));
  CHECK(handler.last_error == 0);
}

TEST_CASE_TEMPLATE("connections closed behind an append disturb no other", R, EpollReactor,
                   UringReactor) {
  using How = typename Ending<R>::How;
  for (const How how : {How::close, How::flush_and_close}) {
    CAPTURE(static_cast<int>(how));
    Ending<R> handler;
    handler.how = how;
    Server<R, Ending<R>> server(handler, {}, "127.0.0.1:0", small_sockets());
    constexpr std::uint64_t kClients = 100;
    for (std::uint64_t round = 0; round < 4; ++round) {
      std::vector<std::unique_ptr<Client>> clients;
      for (std::uint64_t i = 0; i < kClients; ++i)
        clients.push_back(std::make_unique<Client>(server.address(), 4'096));
      for (std::uint64_t i = 0; i < kClients; ++i) {
        clients[i]->send_some(frame(noise(i % 2 ? 100 : 3'000, i)));
        if (i % 3 == 0) clients[i]->reset();
      }
      for (std::uint64_t i = 0; i < kClients; ++i) {
        if (i % 3 == 0) continue;
        const std::string text = frame(noise(i % 2 ? 100 : 3'000, i));
        const std::string back = clients[i]->receive(text.size());
        CHECK((back == text.substr(0, back.size())));
      }
      CHECK(eventually([&] { return handler.closed.get() == (round + 1) * kClients; }));
    }
  }
}

TEST_CASE_TEMPLATE("a turn may append more than its memory for copies holds", R, EpollReactor,
                   UringReactor) {
  for (const auto& [size, brief] :
       {std::pair(UringSends::kCopiesMax / 16, false), std::pair(UringSends::kCopiesMax / 16, true),
        std::pair(UringSends::kCopiesMax, true), std::pair(UringSends::kCopiesMax + 1, false)}) {
    CAPTURE(size);
    Shouts<R> handler;
    handler.sizes = {size, 100, 3 * size / 2};
    handler.brief = brief;
    Server<R, Shouts<R>> server(handler);
    std::vector<std::unique_ptr<Client>> clients;
    for (std::size_t i = 0; i < 40; ++i)
      clients.push_back(std::make_unique<Client>(server.address(), i % 2 ? 4'096 : 0));
    REQUIRE(eventually([&] { return handler.opened.get() == clients.size(); }));
    for (int round = 0; round < 3; ++round) {
      handler.go = true;
      for (std::size_t i = 0; i < clients.size(); ++i) {
        const std::string text = noise(handler.sizes[i % 3], i) + noise(10, i);
        CHECK((clients[i]->receive(text.size()) == text));
      }
    }
  }
}

TEST_CASE_TEMPLATE("what a connection gets between two texts of another stays apart from them", R,
                   EpollReactor, UringReactor) {
  for (const bool copied : {true, false}) {
    CAPTURE(copied);
    Between<R> handler;
    handler.copied = copied;
    ReactorOptions options;
    options.uring.zero_copy_min = handler.between.size();  // Lent, it leaves without a copy.
    Server<R, Between<R>> server(handler, options, "127.0.0.1:0", small_sockets());
    Client first(server.address(), 4'096);
    REQUIRE(eventually([&] { return handler.opened.get() == 1; }));
    Client second(server.address(), 4'096);
    REQUIRE(eventually([&] { return handler.opened.get() == 2; }));
    handler.go = true;
    CHECK((second.receive(handler.between.size()) == handler.between));
    const std::string both = handler.front + handler.rest;
    CHECK((first.receive(both.size()) == both));
    server.stop();
    CHECK(first.at_end());
    CHECK(second.at_end());
  }
}

TEST_CASE_TEMPLATE("a connection that has been answered holds no memory", R, EpollReactor,
                   UringReactor) {
  Weighed<R> handler;
  Server<R, Weighed<R>> server(handler);
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 300; ++i) clients.push_back(std::make_unique<Client>(server.address()));
  for (std::size_t i = 0; i < clients.size(); ++i) clients[i]->send(frame(noise(300, i)));
  for (std::size_t i = 0; i < clients.size(); ++i)
    CHECK((clients[i]->receive(304) == frame(noise(300, i))));
  CHECK(eventually([&] { return handler.holding == 0; }));
}
