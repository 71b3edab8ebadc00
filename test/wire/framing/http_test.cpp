// Where an HTTP response ends, at every cut.
#include "cuts.h"

#include "wire/framing/http.h"

using namespace wiremark;
using namespace wiremark::wire;
using namespace std::string_literals;

namespace {

using Sizes = std::vector<std::size_t>;

const std::string kNext = "HTTP/1.1 204 No Content\r\n\r\n";

Reading read(const std::string& text, Asked asked = {}) {
  const Asked all[] = {asked};
  return read_at_every_cut(HttpFramer(), text, all);
}

}  // namespace

TEST_CASE("a body as long as Content-Length says, and the next response behind it") {
  const std::string text = "HTTP/1.1 200 OK\r\nServer: x\r\ncontent-LENGTH:  5 \r\n\r\nhello";
  const Reading reading = read(text + kNext);
  CHECK(sizes_of(reading) == Sizes{text.size(), kNext.size()});
  CHECK(reading.replies[0].content == "hello");
  CHECK(reading.replies[0].status == 200);
  CHECK_FALSE(reading.replies[0].last);
  CHECK(reading.replies[1].status == 204);
  CHECK(sizes_of(read("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n" + kNext)).size() == 2);
  CHECK(read("HTTP/1.1 200 OK\nContent-Length: 2\n\nok" + kNext).replies.size() == 2);
}

TEST_CASE("lengths that are equal are one") {
  for (const char* length : {"Content-Length: 2\r\nContent-Length: 2", "Content-Length: 2, 2",
                             "Content-Length: 2 ,\t02\r\nX: y\r\ncontent-length: 2,2"}) {
    const Reading reading =
        read("HTTP/1.1 200 OK\r\n" + std::string(length) + "\r\n\r\nok" + kNext);
    REQUIRE(reading.replies.size() == 2);
    CHECK(reading.replies[0].content == "ok");
  }
}

TEST_CASE("chunks with extensions and trailers are one body") {
  const std::string text =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n"
      "5;x=\"y\"\r\nhello\r\nA \r\n0123456789\r\n000\r\nDate: now\r\nX: y\r\n\r\n";
  const Reading reading = read(text + kNext);
  CHECK(sizes_of(reading) == Sizes{text.size(), kNext.size()});
  CHECK(reading.replies[0].content == "hello0123456789");
}

TEST_CASE("responses without a body whatever their head says") {
  const std::string length = "\r\nContent-Length: 5\r\n\r\n";
  CHECK(sizes_of(read("HTTP/1.1 304 Not Modified" + length + kNext)).size() == 2);
  CHECK(sizes_of(read("HTTP/1.1 204 No Content" + length + kNext)).size() == 2);
  CHECK(sizes_of(read("HTTP/1.1 200 OK" + length + kNext, {.head = true})).size() == 2);
  CHECK(sizes_of(
            read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + kNext, {.head = true}))
            .size() == 2);
}

TEST_CASE("interim responses are a part of the one that follows") {
  const std::string text =
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
      "HTTP/1.1 404 Not Found\r\nContent-Length: 1\r\n\r\nx";
  const Reading reading = read(text);
  CHECK(sizes_of(reading) == Sizes{text.size()});
  CHECK(reading.replies[0].error);
  CHECK(reading.replies[0].status == 404);
  CHECK(reading.replies[0].content == "x");
  CHECK_FALSE(read("HTTP/1.1 101 Switching Protocols\r\n\r\n").wrong.empty());
}

TEST_CASE("the connection stays unless a side says otherwise") {
  const auto last = [](const std::string& head) {
    const Reading reading = read(head + "\r\nContent-Length: 0\r\n\r\n");
    REQUIRE(reading.replies.size() == 1);
    return reading.replies[0].last;
  };
  CHECK_FALSE(last("HTTP/1.1 200 OK"));
  CHECK(last("HTTP/1.1 200 OK\r\nConnection: close"));
  CHECK(last("HTTP/1.1 200 OK\r\nConnection: foo , Close"));
  CHECK(last("HTTP/1.0 200 OK"));
  CHECK_FALSE(last("HTTP/1.0 200 OK\r\nConnection: Keep-Alive"));
}

TEST_CASE("a body without a length lasts until the server closes") {
  for (const char* head : {"HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.0 200 OK\r\nDate: x\r\n\r\n",
                           "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n"}) {
    const Reading reading = read(head + "anything"s + kNext);
    CHECK(reading.replies.empty());
    CHECK(reading.unfinished == std::string(head).size() + 8 + kNext.size());
  }
  HttpFramer::State state;
  HttpFramer framer;
  (void)framer.take(state, as_bytes("HTTP/1.1 500 Oh\r\n\r\nbody"), {});
  const Step end = framer.close(state);
  CHECK(end.whole);
  CHECK(end.last);
  CHECK(end.error);
  CHECK(end.status == 500);
  (void)framer.take(state, as_bytes("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbody"), {});
  CHECK_FALSE(framer.close(state).whole);
}

TEST_CASE("what nobody may guess about is wrong") {
  for (const char* text :
       {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1, 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1,\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: ,1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\nContent-Length: 11\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length : 1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno field\r\n\r\n",
        "HTTP/1.1 200 OK\r\n folded\r\n\r\n",
        "HTTP/1.1 2000 OK\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/2.0 200 OK\r\n\r\n",
        "SSH-2.0",
        "+PONG\r\n",
        "\x15\x03\x01",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\rx",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0;x\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\r\n",
        "HTTP/1.1 200 OK\r\nX: \rContent-Length: 1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n"}) {
    CAPTURE(text);
    CHECK_FALSE(read(text).wrong.empty());
  }
  HttpFramer::State state;
  const std::string endless = "HTTP/1.1 200 OK\r\nX: " + std::string(HttpFramer::kHeadMax, 'x');
  CHECK(HttpFramer().take(state, as_bytes(endless), {}).wrong);
}
