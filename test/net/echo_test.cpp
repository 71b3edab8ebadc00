// Streams through both reactors on real sockets: every byte comes back, at any pace.
#include <doctest/doctest.h>
#include <netinet/in.h>

#include <filesystem>
#include <memory>
#include <random>
#include <vector>

#include "client.h"
#include "frame_echo.h"
#include "server.h"

using namespace wiremark;
using namespace wiremark::net;

TEST_CASE_TEMPLATE("streams of every size come back over every family", R, EpollReactor,
                   UringReactor) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("wiremark-echo-" + std::to_string(::getpid()) + ".socket");
  for (const std::string& where :
       {std::string("127.0.0.1:0"), std::string("[::1]:0"), "unix:" + path.string()}) {
    CAPTURE(where);
    Echo echo;
    Server<R, Echo> server(echo, {}, where);
    for (const std::size_t size : {1u, 64u << 10, 8u << 20}) {
      CAPTURE(size);
      Client client(server.address());
      const std::string text = noise(size, size);
      CHECK((client.exchange(text) == text));
    }
    CHECK(eventually([&] { return echo.closed.get() == 3; }));
    CHECK(echo.last_error == 0);
    CHECK(server.stats().accepted.get() == 3);
    CHECK(server.stats().bytes_in.get() == server.stats().bytes_out.get());
  }
  std::filesystem::remove(path);
}

TEST_CASE_TEMPLATE("pipelined frames split anywhere come back whole", R, EpollReactor,
                   UringReactor) {
  FrameEcho echo;
  std::mt19937 random(3);
  std::string frames;
  for (int i = 0; i < 500; ++i) frames += frame(noise(random() % 5'000, i));
  {
    Server<R, FrameEcho> server(echo);
    for (const std::size_t piece : {97u, 4'099u, 70'000u}) {
      CAPTURE(piece);
      Client client(server.address());
      CHECK((client.exchange(frames, piece) == frames));
    }
  }
  CHECK(echo.frames == 3 * 500);
}

TEST_CASE_TEMPLATE("a client that never reads is not read from, and loses nothing", R, EpollReactor,
                   UringReactor) {
  struct Watched : Echo {
    std::size_t on_data(Conn& conn, Bytes bytes) {
      conn.lend(bytes);
      unsent_max = std::max<std::size_t>(unsent_max, conn.out.size() + conn.lent_size);
      return bytes.size();
    }
    std::atomic<std::size_t> unsent_max = 0;
  } echo;
  ReactorOptions options;
  options.output_limit = 100'000;
  options.read_size = options.buffer_size = 4096;
  Server<R, Watched> server(echo, options);
  Client slow(server.address());
  const std::string text = noise(64 << 20, 1);
  std::size_t sent = 0, quiet = 0;
  while (quiet < 50 && sent < text.size()) {  // Until the server has stopped reading.
    const std::size_t count = slow.send_some(std::string_view(text).substr(sent, 1 << 20));
    sent += count;
    quiet = count > 0 ? 0 : quiet + 1;
    if (count == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  CHECK(sent < text.size());
  CHECK(server.stats().pauses.get() > 0);

  Client other(server.address());
  const std::string hello = noise(300'000, 2);
  CHECK((other.exchange(hello) == hello));

  // io_uring: what its ring had received when the limit was reached is delivered too.
  CHECK(echo.unsent_max <= options.output_limit + options.buffers * options.buffer_size);
  CHECK((slow.receive(sent) == text.substr(0, sent)));
  const std::string more = noise(100'000, 3);
  CHECK((slow.exchange(more) == more));
}

TEST_CASE_TEMPLATE("after a half-close everything comes back, then the end", R, EpollReactor,
                   UringReactor) {
  Echo echo;
  Server<R, Echo> server(echo);
  for (const std::size_t size : {0u, 1u, 100'000u, 3u << 20}) {
    CAPTURE(size);
    Client client(server.address(), size > 1'000'000 ? 8 << 20 : 0);
    const std::string text = noise(size, size);
    // Megabytes are sent before the first is read; what does not fit is read meanwhile.
    std::string back;
    for (std::size_t sent = 0; sent < size;) {
      const std::size_t count = client.send_some(std::string_view(text).substr(sent));
      sent += count;
      if (count == 0) back += client.receive(1);
    }
    client.half_close();
    back += client.receive(size - back.size());
    CHECK((back == text));
    CHECK(client.at_end());
  }
  CHECK(eventually([&] { return echo.closed.get() == 4; }));
  CHECK(echo.last_error == 0);
}

TEST_CASE_TEMPLATE("sends that the peer takes in part keep their order", R, EpollReactor,
                   UringReactor) {
  FrameEcho echo;
  ListenOptions small;
  small.send_buffer = 4'096;
  small.receive_buffer = 4'096;
  for (const unsigned buffers : {1u, 4u, 64u}) {
    CAPTURE(buffers);
    ReactorOptions options;
    options.buffers = buffers;
    options.buffer_size = 2'048;
    options.read_size = 2'048;
    options.output_limit = 16'000;
    Server<R, FrameEcho> server(echo, options, "127.0.0.1:0", small);
    std::vector<std::thread> threads;
    std::atomic<int> intact = 0;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i, to = server.address()] {
        Client client(to, 4'096);
        std::string frames;
        std::mt19937 random(i);
        for (int n = 0; n < 300; ++n) frames += frame(noise(random() % 3'000, n * 4 + i));
        intact += client.exchange(frames) == frames;
      });
    }
    for (auto& thread : threads) thread.join();
    CHECK(intact == 4);
  }
}

TEST_CASE_TEMPLATE("a random crowd loses no byte", R, EpollReactor, UringReactor) {
  Echo echo;
  ReactorOptions options;
  options.buffers = 16;
  options.buffer_size = 4'096;
  Server<R, Echo> server(echo, options);
  std::mt19937 random(2026);
  struct Talker {
    std::unique_ptr<Client> client;
    std::string text;
    std::size_t sent = 0, got = 0;
    int left = 0;
  };
  std::vector<Talker> talkers(50);
  const auto begin = [&](Talker& talker) {
    talker.text = noise(1 + random() % 200'000, random());
    talker.sent = talker.got = 0;
  };
  for (Talker& talker : talkers) {
    talker.client = std::make_unique<Client>(server.address(), random() % 2 ? 0 : 8'192);
    talker.left = 1 + static_cast<int>(random() % 30);
    begin(talker);
  }
  std::vector<char> buffer(256 << 10);
  std::size_t done = 0, resets = 0;
  bool intact = true;
  const Nanoseconds deadline = now_ns() + 40 * kSecond;
  while (done < talkers.size() && intact && now_ns() < deadline) {
    for (Talker& talker : talkers) {
      if (!talker.client || random() % 3 == 0) continue;  // A pause.
      if (random() % 4'000 == 0) {
        talker.client->reset();
        talker.client.reset();
        ++done, ++resets;
        continue;
      }
      const std::string_view rest = std::string_view(talker.text).substr(talker.sent);
      talker.sent += talker.client->send_some(rest.substr(0, 1 + random() % 60'000));
      const ssize_t count =
          ::recv(talker.client->fd(), buffer.data(), 1 + random() % buffer.size(), MSG_DONTWAIT);
      if (count > 0) {
        const auto size = static_cast<std::size_t>(count);
        intact = intact && talker.got + size <= talker.sent &&
                 std::equal(buffer.begin(), buffer.begin() + count,
                            talker.text.begin() + static_cast<std::ptrdiff_t>(talker.got));
        talker.got += size;
      }
      intact = intact && count != 0;
      if (talker.got < talker.text.size()) continue;
      if (--talker.left > 0) {
        begin(talker);
      } else {
        if (random() % 2) {
          talker.client->half_close();
          intact = intact && talker.client->at_end();
        }
        talker.client.reset();
        ++done;
      }
    }
  }
  CHECK(intact);
  CHECK(done == talkers.size());
  CHECK(resets < talkers.size());
  CHECK(eventually([&] { return echo.closed.get() == talkers.size(); }));
}
