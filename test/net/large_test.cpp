// Messages that fill many buffers: they leave from where they came, each byte in its place.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "client.h"
#include "server.h"

using namespace wiremark;
using namespace wiremark::net;

namespace {

// A message fits one segment, so that it arrives at once, and fills many buffers.
constexpr std::size_t kMessage = 1'500, kBuffer = 64;

ReactorOptions small_buffers(unsigned count) {
  ReactorOptions options;
  options.buffers = count;
  options.buffer_size = kBuffer;
  return options;
}

/// Echoes, and once makes more submissions than the queue holds after the first part of a message.
struct SubmitsBetween : Echo {
  std::size_t on_data(Conn& conn, Bytes bytes) {
    const std::size_t used = Echo::on_data(conn, bytes);
    reactor->flush(conn);
    if (bytes.size() == kBuffer && !done) {
      done = true;
      for (int i = 0; i < 1'100; ++i) REQUIRE(reactor->connect(nowhere, {}, this));
    }
    return used;
  }
  StreamsOf<UringReactor>* reactor = nullptr;
  Address nowhere = address("unix:/nonexistent/wiremark.socket");
  bool done = false;
};

}  // namespace

TEST_CASE_TEMPLATE("a message that fills many buffers is not copied on its way", R, UringReactor) {
  for (const std::string key : {"none", "bundle", "direct", "sqpoll=2ms"}) {
    CAPTURE(key);
    Echo echo;
    ReactorOptions options = small_buffers(64);
    options.uring = UringOptions::parse(key).value();
    Server<R, Echo> server(echo, options);
    Client client(server.address());
    for (int i = 0; i < 20; ++i) {
      const std::string text = noise(kMessage, i);
      REQUIRE((client.exchange(text) == text));
    }
    server.stop();
    CHECK(server.stats().bytes_out.get() == 20 * kMessage);
    CHECK(server.stats().copied.get() == 0);
  }
}

TEST_CASE_TEMPLATE("parts that a full socket left behind come in order", R, UringReactor) {
  for (const unsigned buffers : {8u, 64u, 1024u}) {
    CAPTURE(buffers);
    Echo echo;
    ReactorOptions options = small_buffers(buffers);
    options.buffer_size = 1'000;
    Server<R, Echo> server(echo, options);
    Client client(server.address(), 4'096);
    const std::string text = noise(12 << 20, buffers);
    std::thread sender([&] { client.send(text); });
    CHECK(eventually([&] { return server.stats().pauses.get() > 0; }));
    CHECK((client.receive(text.size()) == text));
    sender.join();
  }
}

TEST_CASE_TEMPLATE("a part does not join a send that was submitted", R, UringReactor) {
  SubmitsBetween echo;
  Server<R, SubmitsBetween> server(echo, small_buffers(64));
  Client client(server.address());
  for (int i = 0; i < 3; ++i) {
    const std::string text = noise(kMessage, i);
    CHECK((client.exchange(text) == text));
  }
  CHECK(echo.done);
}

TEST_CASE_TEMPLATE("large messages come back beside half-closes, resets and slow readers", R,
                   EpollReactor, UringReactor) {
  Echo echo;
  Server<R, Echo> server(echo);
  Client slow(server.address(), 4'096);
  const std::string waiting = noise(200'000, 9);
  REQUIRE(slow.send(waiting));
  for (const std::size_t size : {4'096u, 16'384u, 65'536u, 65'537u, 1u << 20, 3'000'001u}) {
    CAPTURE(size);
    Client whole(server.address()), gone(server.address());
    const std::string text = noise(size, size);
    gone.send_some(text);
    for (int i = 0; i < 8; ++i) REQUIRE((whole.exchange(text) == text));
    gone.reset();
    REQUIRE((whole.exchange(text) == text));
    const std::size_t sent = whole.send_some(text);
    whole.half_close();
    CHECK((whole.receive(sent) == text.substr(0, sent)));
    CHECK(whole.at_end());
  }
  CHECK((slow.receive(waiting.size()) == waiting));
  CHECK(eventually([&] { return echo.closed.get() == 12; }));
}
