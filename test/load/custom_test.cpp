// Protocols of the user's own: what is sent, what is a reply, and what is said of one that is not.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "load/exchange/exchanges.h"
#include "load/exchange/forms.h"
#include "load/exchange/http.h"

using namespace wiremark;
using namespace wiremark::load;
using namespace std::string_literals;

namespace {

/// A plan and the exchange of one thread with two connections.
struct Spoken {
  static constexpr std::uint32_t kConnection = 7;

  explicit Spoken(CustomOptions options, bool verify = true, std::uint64_t run = 0,
                  std::size_t max_frame = 1000) {
    auto made = plan_exchange(
        {.max_frame = max_frame, .verify = verify, .custom = std::move(options)}, run);
    REQUIRE(made);
    plan = std::move(*made);
    exchange = plan->exchange(2);
    exchange->opened(0);
    exchange->opened(1);
  }

  std::string sent(std::uint32_t sequence, std::uint32_t connection = kConnection) {
    return std::string(as_text(exchange->request({0, connection, sequence})));
  }
  // Shows the bytes as a load does: again what was not consumed, up to the end of a reply.
  Reply read(std::string_view bytes, std::uint32_t sequence = 0, std::size_t client = 0) {
    std::size_t consumed = 0;
    while (true) {
      Reply reply =
          exchange->reply({client, kConnection, sequence}, as_bytes(bytes.substr(consumed)));
      consumed += reply.consumed;
      reply.consumed = consumed;
      if (reply.refused || reply.size > 0 || consumed == bytes.size()) return reply;
    }
  }
  std::string refused(std::string_view bytes) {
    REQUIRE(read(bytes).refused);
    return exchange->refusal().detail;
  }

  std::unique_ptr<ExchangePlan> plan;
  std::unique_ptr<Exchange> exchange;
};

Spoken speak(std::string reply, std::optional<std::string> expect = {}) {
  return Spoken({.send = {"PING\\r\\n"}, .reply = std::move(reply), .expect = std::move(expect)});
}

constexpr const char* kPage = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

void check_contains(const std::string& text, std::string_view part) {
  CAPTURE(text);
  CHECK(text.contains(part));
}

}  // namespace

TEST_CASE("a request has the escapes of C, and fields that keep its width") {
  Spoken one({.send = {R"(a\r\n\x00\101\\ 100% \x25{n} %{n} %{conn} %{id})"}, .reply = "line"});
  const std::string first = one.sent(0);
  CHECK(first == "a\r\n\0A\\ 100% %{n} 0000000000 0000000007 \0\0"s);
  CHECK(one.sent(0x10203).ends_with("0000066051 0000000007 \2\3"));
  Spoken random({.send = {"%{random:25}"}, .reply = "line"});
  CHECK(random.sent(0).size() == 25);
  CHECK(random.sent(0) == random.sent(0));
  CHECK(random.sent(0) != random.sent(1));
  CHECK(random.sent(1, 7) != random.sent(1, 8));
  for (const char* wrong :
       {"\\q", "\\x", "\\", "%{m}", "%{n", "%{random:}", "%{random:0}", "\\400"})
    CHECK_FALSE(check_request(wrong));
}

TEST_CASE("several requests are sent in turn") {
  Spoken two({.send = {"one", "two"}, .reply = "line"});
  CHECK(two.sent(0) == "one");
  CHECK(two.sent(1) == "two");
  CHECK(two.sent(2) == "one");
}

TEST_CASE("the digest of a plan is that of all that is sent and expected, and of no host") {
  const CustomOptions page = {.scheme = "http", .authority = "here:80", .path = "/a"};
  const std::string long_text(100, 'x');
  const CustomOptions all[] = {
      page,
      {.scheme = "http", .authority = "here:80", .path = "/b"},
      {.scheme = "http", .authority = "here:80", .path = "/a", .method = "PUT"},
      {.scheme = "http", .authority = "here:80", .path = "/a", .headers = {"A: 1"}},
      {.scheme = "http", .authority = "here:80", .path = "/a", .headers = {"A: 1", "A: 1"}},
      {.scheme = "http", .authority = "here:80", .path = "/a", .headers = {"Host: me"}},
      {.scheme = "http", .authority = "here:80", .path = "/a", .body = "1"},
      {.expect = "ok", .scheme = "http", .authority = "here:80", .path = "/a"},
      {.expect = "no", .scheme = "http", .authority = "here:80", .path = "/a"},
      {.expect = "same", .scheme = "http", .authority = "here:80", .path = "/a"},
      {.send = {"a"}, .reply = "line"},
      {.send = {"b"}, .reply = "line"},
      {.send = {"a", "a"}, .reply = "line"},
      {.send = {"a", "b"}, .reply = "line"},
      {.send = {"b", "a"}, .reply = "line"},
      {.send = {"ab"}, .reply = "line"},
      {.send = {"a"}, .reply = "size:1"},
      {.send = {"a"}, .reply = "line", .greeting = "line"},
      {.send = {"a"}, .reply = "line", .greeting = "size:1"},
      {.send = {long_text + "1"}, .reply = "line"},
      {.send = {long_text + "2"}, .reply = "line"},
      {.send = {"%{n}"}, .reply = "line"},
      {.send = {"0000000000"}, .reply = "line"},
      {.send = {"%{conn}"}, .reply = "line"},
      {.send = {"%{random:10}"}, .reply = "line"},
  };
  std::vector<std::uint64_t> digests;
  for (const CustomOptions& options : all) {
    const auto digest = Spoken(options).plan->digest();
    REQUIRE(digest);
    CAPTURE(digests.size());
    CHECK(std::ranges::find(digests, *digest) == digests.end());
    digests.push_back(*digest);
    CHECK(Spoken(options).plan->digest() == digest);
  }
  CustomOptions elsewhere = page;
  elsewhere.authority = "a.name.that.is.longer:8080";
  CHECK(Spoken(elsewhere).plan->digest() == Spoken(page).plan->digest());
  elsewhere.body = "%{n}";
  const auto with_field = Spoken(elsewhere).plan->digest();
  elsewhere.authority = "h";
  CHECK(Spoken(elsewhere).plan->digest() == with_field);
}

TEST_CASE("a reply is whole, is the expected one, or is told apart only") {
  Spoken framed = speak("resp");
  CHECK(framed.read("+PONG\r\n+").consumed == 7);
  CHECK(framed.read("$3\r\n").size == 0);
  CHECK(framed.read("abc\r\n").size == 9);
  CHECK_FALSE(framed.plan->verifies());
  CHECK(framed.plan->checked().first == "replies");
  check_contains(framed.plan->checked().second, "not compared");

  Spoken begins = speak("resp", "+PO");
  CHECK(begins.read("+PONG\r\n").size == 7);
  CHECK(begins.read("+").consumed == 1);
  CHECK(begins.read("PONG\r\n").size == 7);
  check_contains(begins.refused("+OK\r\n"), "got \"+OK\\r\\n\" where \"+PO\" was expected");
  CHECK(begins.plan->checked().first == "verify");
}

TEST_CASE("every reply is compared with the first to its request") {
  Spoken same({.send = {"a", "b"}, .reply = "line", .expect = "same"});
  CHECK(same.read("one\n", 0).size == 4);
  CHECK(same.read("two\n", 1).size == 4);
  CHECK(same.read("one\n", 2, 1).size == 4);
  CHECK(same.read("tw", 3).consumed == 2);
  CHECK(same.read("o\n", 3).size == 4);
  CHECK(same.read("two\n", 4).refused);
}

TEST_CASE("what a request has in its fields is left out where a reply is compared with the first") {
  Spoken same({.send = {"-%{id} %{n} %{random:30}"}, .reply = "datagram", .expect = "same"}, true,
              1);
  const auto reply = [&](std::uint32_t sequence) {
    const std::string sent = same.sent(sequence);
    return "+" + sent.substr(1, 2) + " 1000000001 " + sent + sent.substr(15);
  };
  for (const std::uint32_t sequence : {0, 1, 2, 10, 700, 70'000}) {
    CAPTURE(sequence);
    CHECK(same.read(reply(sequence), sequence).size == reply(sequence).size());
  }
  for (const std::size_t at : {0, 1, 2, 3, 13, 20, 30, 60}) {
    CAPTURE(at);
    std::string wrong = reply(9);
    wrong[at] ^= 1;
    CHECK(same.read(wrong, 9).refused);
    check_contains(same.exchange->refusal().detail, "they differ from byte " + std::to_string(at));
  }
  CHECK(same.read(reply(9) + "x", 9).refused);
  // In its own place, a field may be changed where it is changed in all replies.
  Spoken changed({.send = {"%{n}"}, .reply = "datagram", .expect = "same"}, true, 1);
  for (const char* right : {"00!0000000", "00!0000001", "00!0000021"})
    CHECK(changed.read(right, static_cast<std::uint32_t>(right[9] - '0' + 10 * (right[8] - '0')))
              .size == 10);
  CHECK(changed.read("00?0000003", 3).refused);
  CHECK(changed.read("00!0000004", 3).refused);
  CHECK(same.read(reply(9).substr(1), 9).refused);
  CHECK(same.read(reply(8), 9).refused);
}

TEST_CASE("the id of a message is what is expected in its place, whatever a text has there") {
  for (const char* expect : {"ab..c", "ab.", "ab", "ab\\0\\0cd"}) {
    CAPTURE(expect);
    Spoken begins({.send = {"--%{id}"}, .reply = "datagram", .expect = expect}, true, 1);
    CHECK(begins.read("ab\1\2cd"s, 0x102).size == 6);
    CHECK(begins.read("ab\1\2cd"s, 0x70102).size == 6);
    CHECK(begins.read("Ab\1\2cd"s, 0x102).refused);
  }
  // Over streams nothing is known by it, and a server need not send it back.
  Spoken line({.send = {"--%{id}\\n"}, .reply = "line", .expect = "OK12\\n"});
  CHECK(line.read("OK12\n", 5).size == 5);
  CHECK(line.read("OK13\n", 5).refused);
}

TEST_CASE("an echo is compared with its request, whatever fields that has") {
  Spoken echo({.send = {"%{random:9}%{n}"}});
  CHECK(echo.plan->name() == "echo");
  CHECK(echo.plan->verifies());
  CHECK(echo.read(echo.sent(5), 5).size == 19);
  CHECK(echo.read(echo.sent(5), 6).refused);
}

TEST_CASE("an error reply is an answer that is counted by its name, unless it was expected") {
  Spoken redis = speak("resp");
  const Reply error = redis.read("-WRONGTYPE Operation against\r\n");
  CHECK(error.error);
  CHECK_FALSE(error.refused);
  CHECK(error.size == 30);
  CHECK(redis.exchange->refusal().kind == "RESP -WRONGTYPE");
  check_contains(redis.exchange->refusal().detail, "the first error reply: \"-WRONGTYPE");
  CHECK(redis.read("-").consumed == 1);
  CHECK(redis.read("MOVED 1\r\n").error);
  CHECK(redis.exchange->refusal().kind == "RESP -MOVED");
  CHECK_FALSE(speak("resp", "-ERR").read("-ERR no\r\n").error);
  CHECK(speak("resp", "same").read("-ERR no\r\n").error);

  Spoken web({.scheme = "http", .authority = "here"});
  CHECK(web.read("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n").error);
  CHECK(web.exchange->refusal().kind == "HTTP 404");
  CHECK(web.read(kPage).kind == 200);
  CHECK(web.plan->tells_kinds());
  CHECK(web.plan->name_of_kind(200) == "200");
  CHECK_FALSE(redis.plan->tells_kinds());
  Spoken cache({.scheme = "memcached"});
  CHECK(cache.read("SERVER_ERROR no\r\n").error);
  CHECK(cache.exchange->refusal().kind == "memcached SERVER_ERROR");
}

TEST_CASE("answers of DNS are counted by RCODE, and a question over UDP is known for one") {
  const auto question = R"(%{id}\x01\0\0\x01\0\0\0\0\0\0\x07example\x03com\0\0\x01\0\x01)";
  Spoken dns({.send = {question}}, true, 1);
  CHECK(dns.plan->name() == "dns");
  CHECK(dns.plan->tells_kinds());
  const auto answer = [&](char flags, char rcode) {
    std::string message = dns.sent(3);
    message[2] = flags;
    message[3] = rcode;
    return message;
  };
  const auto kind = [&](const std::string& message) {
    const Reply reply = dns.read(message, 3);
    CHECK_FALSE(reply.refused);
    return dns.plan->name_of_kind(reply.kind) + (reply.error ? " is an error" : "");
  };
  CHECK(kind(answer('\x81', 0)) == "NOERROR");
  CHECK(kind(answer('\x81', 3)) == "NXDOMAIN");
  CHECK(kind(answer('\x83', 0)) == "NOERROR truncated");
  CHECK(kind(answer('\x81', 2)) == "SERVFAIL is an error");
  CHECK(dns.exchange->refusal().kind == "DNS SERVFAIL");
  CHECK(kind(answer('\x81', 5)) == "REFUSED is an error");
  CHECK(dns.read(dns.sent(3), 3).refused);
  for (std::uint16_t each = 1; each < kAnswerKinds; ++each)
    CHECK_FALSE(dns.plan->name_of_kind(each).empty());
  CHECK(Spoken({.send = {question, "no question"}}, true, 1).plan->name() == "datagram");
  CHECK(Spoken({.send = {question}, .reply = "datagram"}, true, 1).plan->name() == "datagram");
  const std::string framed = "\\0\\x1d" + std::string(question);
  Spoken stream({.send = {framed}, .reply = "dns", .expect = "same"});
  for (const std::uint32_t sequence : {1, 2}) {
    std::string message = stream.sent(sequence);
    message[4] = '\x81';
    CHECK(stream.read(message, sequence).size == message.size());
  }
}

TEST_CASE("reads of redis and memcached are hits or misses, and nothing else is") {
  const auto kinds = [](const char* reply, const char* send,
                        std::initializer_list<const char*> replies) {
    Spoken store({.send = {send}, .reply = reply});
    std::string all;
    for (const char* bytes : replies) {
      const Reply one = store.read(bytes);
      CHECK_FALSE(one.refused);
      CHECK(one.size > 0);
      all += (one.kind == 0 ? "none" : store.plan->name_of_kind(one.kind)) + " ";
    }
    CHECK(store.plan->tells_kinds() == (all.find_first_not_of("none ") != all.npos));
    return all;
  };
  for (const char* get : {"GET k\\r\\n", "get k\\r\\n", "*2\\r\\n$3\\r\\nGET\\r\\n$1\\r\\nk\\r\\n"})
    CHECK(kinds("resp", get,
                {"$2\r\nok\r\n", "$0\r\n\r\n", "$-1\r\n", "_\r\n", "*-1\r\n", "-ERR no\r\n"}) ==
          "hit hit miss miss miss none ");
  CHECK(kinds("resp", "MGET a b\\r\\n",
              {"*2\r\n$-1\r\n$1\r\nb\r\n", "*2\r\n$-1\r\n_\r\n", "*0\r\n"}) == "hit miss miss ");
  CHECK(kinds("resp", "HGETALL k\\r\\n",
              {"%1\r\n+a\r\n:0\r\n", "%0\r\n", "|1\r\n+ttl\r\n:9\r\n%0\r\n"}) == "hit miss miss ");
  CHECK(kinds("resp", "GEOPOS k a\\r\\n", {"*1\r\n*2\r\n,1\r\n,2\r\n", "*1\r\n*-1\r\n"}) ==
        "hit miss ");
  for (const char* other : {"SET k v NX\\r\\n", "GETTER\\r\\n", "PING\\r\\n", "*1\\r\\n$3"})
    CHECK(kinds("resp", other, {"$-1\r\n", "+OK\r\n"}) == "none none ");
  CHECK(kinds("memcached", "get k\\r\\n",
              {"VALUE k 0 1\r\nv\r\nEND\r\n", "END\r\n", "SERVER_ERROR no\r\n"}) ==
        "hit miss none ");
  CHECK(kinds("memcached", "mg k v\\r\\n", {"VA 1\r\nv\r\n", "HD\r\n", "EN\r\n"}) ==
        "hit hit miss ");
  CHECK(kinds("memcached", "set k 0 0 1\\r\\nv\\r\\n", {"STORED\r\n", "NOT_STORED\r\n"}) ==
        "none none ");
  Spoken both({.send = {"SET k v\\r\\n", "GET k\\r\\n"}, .reply = "resp"});
  CHECK(both.read("+OK\r\n", 0).kind == 0);
  CHECK(both.read("$1\r\nv\r\n", 1).kind == wire::kHit);
}

TEST_CASE("what changes nothing at the server is repeatable, and nothing else is") {
  const auto repeatable = [](const char* reply, const char* send) {
    return Spoken({.send = {send}, .reply = reply})
        .exchange->repeatable({0, Spoken::kConnection, 0});
  };
  for (const char* request : {"GET / HTTP/1.1\\r\\n\\r\\n", "HEAD / HTTP/1.1\\r\\n\\r\\n",
                              "OPTIONS * HTTP/1.1\\r\\n\\r\\n"})
    CHECK(repeatable("http", request));
  for (const char* request : {"POST / HTTP/1.1\\r\\n\\r\\n", "PUT / HTTP/1.1\\r\\n\\r\\n",
                              "DELETE / HTTP/1.1\\r\\n\\r\\n", "GETS / HTTP/1.1\\r\\n\\r\\n"})
    CHECK_FALSE(repeatable("http", request));
  for (const char* request :
       {"GET k\\r\\n", "mget a b\\r\\n", "PING\\r\\n", "*2\\r\\n$4\\r\\nLLEN\\r\\n$1\\r\\nk\\r\\n"})
    CHECK(repeatable("resp", request));
  for (const char* request : {"SET k v\\r\\n", "GETDEL k\\r\\n", "lpop k\\r\\n", "SPOP k\\r\\n",
                              "INCR k\\r\\n", "*2\\r\\n$4\\r\\nRPOP\\r\\n$1\\r\\nk\\r\\n"})
    CHECK_FALSE(repeatable("resp", request));
  for (const char* request : {"get k\\r\\n", "gets a b\\r\\n", "version\\r\\n"})
    CHECK(repeatable("memcached", request));
  for (const char* request : {"set k 0 0 1\\r\\nv\\r\\n", "incr k 1\\r\\n", "gat 1 k\\r\\n"})
    CHECK_FALSE(repeatable("memcached", request));
  CHECK_FALSE(repeatable("line", "GET k\\r\\n"));
  const Spoken both({.send = {"SET k v\\r\\n", "GET k\\r\\n"}, .reply = "resp"});
  CHECK_FALSE(both.exchange->repeatable({0, Spoken::kConnection, 0}));
  CHECK(both.exchange->repeatable({0, Spoken::kConnection, 1}));
  CHECK_FALSE(plan_exchange({}, 0).value()->exchange(1)->repeatable({0, 0, 0}));  // An echo.
}

TEST_CASE("an expected text pardons an error only where it is that of one") {
  const auto pardoned = [](std::string reply, std::string expect, std::string_view bytes) {
    return !speak(std::move(reply), std::move(expect)).read(bytes).error;
  };
  CHECK(pardoned("resp", "-", "-ERR no\r\n"));
  CHECK(pardoned("resp", "!", "!6\r\nERR no\r\n"));
  CHECK_FALSE(pardoned("resp", "", "-ERR no\r\n"));
  CHECK(pardoned("memcached", "SERVER_ERROR", "SERVER_ERROR no\r\n"));
  CHECK_FALSE(pardoned("memcached", "", "SERVER_ERROR no\r\n"));
  CHECK_FALSE(pardoned("memcached", "E", "ERROR\r\n"));
  for (const char* expect : {"", "hello", "same"})
    CHECK_FALSE(pardoned("http", expect, "HTTP/1.1 500 No\r\nContent-Length: 5\r\n\r\nhello"));
}

TEST_CASE("of HTTP statuses those are right that were named, or all below 400") {
  const auto is_error = [](std::string wanted, int status) {
    Spoken web({.expect_status = std::move(wanted), .scheme = "http", .authority = "here"});
    const Reply reply =
        web.read("HTTP/1.1 "s + std::to_string(status) + " X\r\nContent-Length: 0\r\n\r\n");
    CHECK(reply.kind == status);
    CHECK_FALSE(reply.refused);
    return reply.error;
  };
  CHECK_FALSE(is_error("", 200));
  CHECK_FALSE(is_error("", 399));
  CHECK(is_error("", 400));
  CHECK(is_error("", 999));
  CHECK_FALSE(is_error("404", 404));
  CHECK(is_error("404", 200));
  CHECK_FALSE(is_error("404,2xx", 299));
  CHECK(is_error("404,2xx", 300));
  for (const char* wrong :
       {"", "x", "99", "199", "1xx", "2x", "xxx", "2xxx", "1000", "404,", "-04"})
    CHECK_FALSE(check_statuses(wrong));
  Spoken wanted({.expect = "hello", .expect_status = "500", .scheme = "http"});
  CHECK_FALSE(wanted.read("HTTP/1.1 500 No\r\nContent-Length: 5\r\n\r\nhello").error);
  CHECK(wanted.read("HTTP/1.1 500 No\r\nContent-Length: 4\r\n\r\nhell").refused);
}

TEST_CASE("of HTTP the status and the body are compared, and not the head") {
  Spoken web({.expect = "same", .scheme = "http", .authority = "here"});
  const auto response = [](const char* date, const char* body) {
    return "HTTP/1.1 200 OK\r\nDate: "s + date + "\r\nContent-Length: 2\r\n\r\n" + body;
  };
  CHECK(web.read(response("now", "ok")).size > 0);
  CHECK(web.read(response("then", "ok")).size > 0);
  CHECK(web.read(response("then", "no")).refused);
  CHECK(web.read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\no\r\n1\r\n").size == 0);
  CHECK(web.read("k\r\n0\r\n\r\n").size > 0);
  CHECK(web.read("HTTP/1.1 201 OK\r\nContent-Length: 2\r\n\r\nok").refused);
  Spoken head({.scheme = "http", .method = "HEAD"});
  CHECK(head.read("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n").size > 0);
}

TEST_CASE("the close of a connection ends the reply that has no other end") {
  Spoken web({.expect = "he", .scheme = "http"});
  CHECK(web.read("HTTP/1.0 200 OK\r\n\r\nhel").size == 0);
  CHECK(web.read("lo").size == 0);
  const Reply end = web.exchange->closed({0, Spoken::kConnection, 0});
  CHECK(end.size == 24);
  CHECK(end.last);
  web.exchange->opened(0);
  CHECK(web.read("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhel").size == 0);
  CHECK(web.exchange->closed({0, Spoken::kConnection, 0}).size == 0);
  CHECK(
      speak("http").read("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n").last);
}

TEST_CASE("what is no reply is shown, with what to try") {
  check_contains(speak("http").refused("\x15\x03\x03\0\2\2F"s), "looks like TLS");
  check_contains(speak("resp").refused("HTTP/1.1 400 Bad\r\n"), "--reply http");
  check_contains(speak("resp").refused("220 mail ready\r\n"), "--greeting line");
  check_contains(speak("http").refused("+PONG\r\n"), "--reply resp");
  check_contains(speak("u32").refused("HTTP/1.1 400 Bad\r\n"), "--max-frame");
  check_contains(speak("u32").refused("HTTP/1.1 400 Bad\r\n"), "looks like HTTP");
  check_contains(speak("resp").refused("what is\n\x01 this"), "got \"what is\\n\\x01 this\"");
  Spoken line = speak("line");
  CHECK(line.read(std::string(900, 'x')).consumed == 900);
  CHECK(line.exchange->unfinished(0).starts_with("900 bytes of a reply"));
  CHECK(line.exchange->unfinished(1).empty());
  CHECK(line.read(std::string(101, 'x')).refused);
  CHECK(line.exchange->refusal().kind == "a reply longer than --max-frame");
}

TEST_CASE("bytes are taken for those of another protocol by more than their first one") {
  for (const char* others : {"-rw-r--r-- 1 root", "$ ls\r\n", "* OK IMAP4rev1\r\n", ":\r\n"}) {
    CAPTURE(others);
    CHECK_FALSE(speak("http").refused(others).contains("RESP"));
  }
  for (const char* resp : {"*2\r\n", "$-1\r\n", ":-7\r\n", "-ERR what\r\n", "+OK\r\n"})
    check_contains(speak("http").refused(resp), "looks like RESP");
}

// A status in the midst of a connection is a reply, and one behind a greeting no other greeting.
TEST_CASE("only what comes first can be a greeting that nobody awaited") {
  Spoken one = speak("line", "250");
  check_contains(one.refused("220 mail ready\r\n"), "--greeting line");
  CHECK(one.read("250 fine\r\n").size == 10);
  CHECK_FALSE(one.refused("550 no\r\n").contains("--greeting"));
  const CustomOptions greeted = {
      .send = {"NOOP\\r\\n"}, .reply = "line", .expect = "250", .greeting = "until:\\r\\n"};
  CHECK_FALSE(Spoken(greeted).refused("550 no\r\n").contains("--greeting"));
  const std::string rest = Spoken(greeted).exchange->unasked(0, as_bytes("220 ready\r\n")).detail;
  check_contains(rest, "at byte 0 behind a greeting");
  check_contains(rest, "does the greeting end as --greeting says?");
}

TEST_CASE("no server speaks RESP or HTTP before it is asked") {
  for (const char* first : {"+OK POP3 ready\r\n", "* OK IMAP4rev1\r\n", "HTTP/1.1 408 late\r\n"})
    check_contains(speak("size:3").exchange->unasked(0, as_bytes(first)).detail, "--greeting line");
}

TEST_CASE("a request is said to lack an end only where it does") {
  const auto lacks = [](std::string send, std::string reply) {
    return Spoken({.send = {std::move(send)}, .reply = std::move(reply)}).plan->unanswered();
  };
  CHECK(lacks("ping", "line") == "\"ping\" has no line end, for which a server may wait");
  CHECK(lacks("ping\\n", "line").empty());
  CHECK(lacks("\\x00\\x04ping", "u16").empty());  // No text.
  check_contains(lacks("GET / HTTP/1.1\\r\\nHost: a\\r\\n", "http"), "has no empty line");
  CHECK(lacks("GET / HTTP/1.1\\r\\n\\r\\n", "http").empty());
  CHECK(lacks("PUT / HTTP/1.1\\r\\nContent-Length: 2\\r\\n\\r\\nok", "http").empty());
  CHECK(Spoken({.scheme = "http", .authority = "h", .path = "/"}).plan->unanswered().empty());
  CHECK(Spoken({.scheme = "http", .authority = "h", .path = "/", .body = "b"})
            .plan->unanswered()
            .empty());
  CHECK(Spoken({.send = {"PING"}, .scheme = "redis", .authority = "h"}).plan->unanswered().empty());
}

TEST_CASE("bytes that nothing asked for are told with their place") {
  Spoken one = speak("resp");
  check_contains(one.exchange->unasked(0, as_bytes("220 hello\r\n")).detail, "--greeting");
  CHECK(one.read("+PONG\r\n").size == 7);
  check_contains(one.exchange->unasked(0, as_bytes("+PONG\r\n")).detail, "at byte 7 of");
  check_contains(one.exchange->unasked(0, as_bytes("+PONG\r\n")).detail, "two replies");
}

TEST_CASE("a server that speaks first is greeted by a framer of its own") {
  Spoken mail({.send = {"NOOP\\r\\n"}, .reply = "line", .greeting = "until:\\r\\n"});
  Exchange* const greeting = mail.exchange->greeting();
  REQUIRE(greeting);
  CHECK(greeting->reply({0, Spoken::kConnection, 0}, as_bytes("220 h")).size == 0);
  CHECK(greeting->reply({0, Spoken::kConnection, 0}, as_bytes("i\r\n")).size == 8);
  CHECK_FALSE(speak("line").exchange->greeting());
}

TEST_CASE("a datagram answers the last message, or the one whose id it has") {
  Spoken plain({.send = {"x"}}, true, 1);
  CHECK(plain.plan->name() == "datagram");
  CHECK_FALSE(plain.exchange->sequence_of({0, Spoken::kConnection, 0}, as_bytes("y")));
  CHECK(plain.exchange->sequence_of({0, Spoken::kConnection, 9}, as_bytes("y")) == 8);
  CHECK(plain.read("anything", 8).size == 8);
  Spoken dns({.send = {"-%{id}-"}, .reply = "datagram"}, true, 1);
  CHECK(dns.exchange->sequence_of({0, Spoken::kConnection, 0x10005}, as_bytes("-\0\3-"s)) ==
        0x10003);
  CHECK(dns.exchange->sequence_of({0, Spoken::kConnection, 0x10005}, as_bytes("-\xff\xff-"s)) ==
        0xffff);
  CHECK_FALSE(dns.exchange->sequence_of({0, Spoken::kConnection, 5}, as_bytes("-\0\7-"s)));
  CHECK_FALSE(dns.exchange->sequence_of({0, Spoken::kConnection, 5}, as_bytes("-\0"s)));
  Spoken sized({.send = {"x"}, .reply = "size:8"}, true, 1);
  CHECK(sized.read("1234", 0).refused);
  CHECK(sized.read("12345678", 0).size == 8);
}

TEST_CASE("a target names its protocol, its port and its path") {
  CustomOptions web;
  CHECK(*take_scheme("http://localhost/a?b", web) == "localhost:80");
  CHECK(web.path == "/a?b");
  CHECK(http_request(web)->text() == "GET /a?b HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK(*take_scheme("http://[::1]:81", web) == "[::1]:81");
  CHECK(*take_scheme("http://[::1]", web) == "[::1]:80");
  web.body = "{\"n\": %{n}}";
  web.headers = {"host: me", "X: \\x25"};
  CHECK(http_request(web)->text() ==
        "POST / HTTP/1.1\r\nhost: me\r\nX: %\r\nContent-Length: 17\r\n\r\n{\"n\": 0000000000}");
  CustomOptions redis;
  CHECK(*take_scheme("redis://127.0.0.1", redis) == "127.0.0.1:6379");
  Spoken ping(redis);
  CHECK(ping.sent(0) == "PING\r\n");
  CHECK(ping.plan->verifies());
  redis.send = {"GET k"};
  CHECK(Spoken(redis).sent(0) == "GET k\r\n");
  CHECK_FALSE(Spoken(redis).plan->verifies());
  for (const char* target : {"redis://h/", "redis://h/0", "memcached://h", "memcached://h:1/"}) {
    CustomOptions store;
    CHECK(take_scheme(target, store));
  }
  for (const char* target : {"redis://h/2", "redis://h:1/a", "redis://h/00", "memcached://h/0"}) {
    CustomOptions store;
    check_contains(take_scheme(target, store).error().message(), "leave it out");
  }
  CustomOptions none;
  CHECK(*take_scheme("unix:/a://b", none) == "unix:/a://b");
  CHECK_FALSE(is_custom(none));
  check_contains(take_scheme("https://a", none).error().message(), "no TLS");
  check_contains(take_scheme("ftp://a", none).error().message(), "redis://");
}

TEST_CASE("a path is sent as a URL has it, whatever stands in it") {
  const auto line_of = [](const std::string& path) {
    const auto request = http_request({.scheme = "http", .path = path});
    REQUIRE(request);
    return std::string(request->text().substr(0, request->text().find("\r\n")));
  };
  const std::string plain = "/a-b_c.d~/;v=1/@(x)*!$&',:?q=1+2&r=%2F&s[]=/?";
  CHECK(line_of(plain) == "GET " + plain + " HTTP/1.1");
  CHECK(line_of("/a b HTTP/1.0") == "GET /a%20b%20HTTP/1.0 HTTP/1.1");
  CHECK(line_of("/a\\r\\nX: y") == "GET /a%0D%0AX:%20y HTTP/1.1");
  CHECK(line_of("/a\r\n\x1B\x7F") == "GET /a%0D%0A%1B%7F HTTP/1.1");
  CHECK(line_of("/gr\xC3\xBC\xC3\x9F\"<>\\\\^`{|}") ==
        "GET /gr%C3%BC%C3%9F%22%3C%3E%5C%5E%60%7B%7C%7D HTTP/1.1");
  CHECK(line_of("/a?b#c d") == "GET /a?b HTTP/1.1");
  CHECK(line_of("/a\\x23b") == "GET /a%23b HTTP/1.1");
  CHECK(line_of("#top") == "GET / HTTP/1.1");
  const auto request = http_request({.scheme = "http", .path = "/ä b/%{n} %{conn}?%{random:3}"});
  std::string sent(request->size(), '\0');
  request->write({.client = 0, .connection = 12, .sequence = 34}, 1,
                 reinterpret_cast<std::byte*>(sent.data()));
  CHECK(sent.starts_with("GET /%C3%A4%20b/0000000034%200000000012?"));
  check_contains(http_request({.scheme = "http", .path = "/%{id}"}).error().message(), "%{n}");
}

TEST_CASE("what is no method and no header is refused") {
  for (const char* method : {"GET", "PROPFIND", "M-SEARCH", "get"}) CHECK(check_method(method));
  for (const char* method : {"", "GET /x", "GET\r\nX: y", " GET", "G\xC3\x84T", "GET:", "(x)"})
    CHECK_FALSE(check_method(method));
  check_contains(check_method("GET /x").error().message(), "stands in the target");

  for (const char* header : {"A: b", "A:b", "A:", "X-%: a\\tb", "A: gr\xC3\xBC\xC3\x9F: %{n}"})
    CHECK(check_header(header));
  for (const char* header : {"", "A", ":", ": a", "A : b", " A: b", "A b: c", "A: \x01", "A: \\x7F",
                             "A: \\0", "A-%{n}", "A: \\q", "A: %{m}", "G\xC3\x84: x"}) {
    CAPTURE(header);
    CHECK_FALSE(check_header(header));
    CHECK_FALSE(http_request({.scheme = "http", .headers = {header}}));
  }
  for (const char* header : {"A: b\r\nX: y", "A: b\\r\\nX: y", "A: b\n", "A: b\\r"})
    check_contains(check_header(header).error().message(), "once for each");
  check_contains(check_header("Accept").error().message(), "'Accept: text/html'");
  check_contains(check_header("A: %{id}").error().message(), "%{n}");
}

TEST_CASE("each form of --reply is read, and what is none is refused with all that there are") {
  for (const char* form : {"echo", "size:1k", "until:\\r\\n", "line", "u8", "u16le", "u32be@0-4",
                           "u64@8+12", "varint", "varint+1", "http", "resp", "memcached", "dns"})
    CHECK(check_reply(form));
  for (const char* form : {"", "size:", "size:0", "until:", "until:\\q", "u24", "u32xx", "u32@",
                           "u32+x", "varint1", "https", "u32@70000"}) {
    CAPTURE(form);
    REQUIRE_FALSE(check_reply(form));
  }
  check_contains(check_reply("smtp").error().message(), "until:TEXT");
}

TEST_CASE("what does not go together is refused with the fix") {
  const auto conflict = [](CustomOptions custom, bool datagrams = false) {
    return conflict_in({.custom = std::move(custom)}, datagrams);
  };
  CHECK(conflict({.send = {"x"}, .reply = "line"}).empty());
  CHECK(conflict({.scheme = "http"}).empty());
  check_contains(conflict({.reply = "resp"}), "--send TEXT");
  check_contains(conflict({.send = {"x"}, .method = "PUT"}), "--reply http");
  check_contains(conflict({.send = {"x"}, .scheme = "http", .method = "PUT"}), "leave --method");
  check_contains(conflict({.send = {"x"}, .expect = "y"}), "--reply echo compares");
  check_contains(conflict({.send = {"x"}, .reply = "datagram"}), "udp:");
  check_contains(conflict({.reply = "http"}, true), "not spoken over UDP");
  check_contains(conflict_in({.name = "json", .custom = {.send = {"x"}}}, false), "leave them out");
}
