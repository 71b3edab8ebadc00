// Framers without headers: where each reply ends, at every cut.
#include "cuts.h"

#include <limits>

#include "wire/framing/binary.h"
#include "wire/framing/dns.h"
#include "wire/framing/memcached.h"
#include "wire/framing/resp.h"
#include "wire/framing/until.h"

using namespace wiremark;
using namespace wiremark::wire;
using namespace std::string_literals;

namespace {

using Sizes = std::vector<std::size_t>;

}  // namespace

TEST_CASE("replies of one size, and as long as their requests") {
  const Reading fixed = read_at_every_cut(SizeFramer(3), "abcdefgh");
  CHECK(sizes_of(fixed) == Sizes{3, 3});
  CHECK(fixed.replies[1].content == "def");
  CHECK(fixed.unfinished == 2);
  const Asked asked[] = {{.size = 2}, {.size = 5}};
  CHECK(sizes_of(read_at_every_cut(EchoFramer(), "abcdefg", asked)) == Sizes{2, 5});
  SizeFramer::State state;
  CHECK(SizeFramer(10).take(state, as_bytes("abc"), {}).ahead == 7);
}

TEST_CASE("a text that ends replies is found though it begins within one that failed") {
  CHECK(sizes_of(read_at_every_cut(UntilFramer("\r\n\r\n"), "a\r\n\r\r\n\r\nb\r\n\r\n")) ==
        Sizes{8, 5});
  CHECK(sizes_of(read_at_every_cut(UntilFramer("aab"), "aaabaab")) == Sizes{4, 3});
  CHECK(sizes_of(read_at_every_cut(UntilFramer("abcabd"), "abcabcabdabd")) == Sizes{9});
  CHECK(sizes_of(read_at_every_cut(UntilFramer("\n"), "one\n\ntwo")) == Sizes{4, 1});
  CHECK(sizes_of(read_at_every_cut(UntilFramer("xx"), "xxx")) == Sizes{2});
}

TEST_CASE("a length at the front, of each width and order, that counts what it counts") {
  const auto sizes = [](PrefixForm form, const std::string& text) {
    return sizes_of(read_at_every_cut(PrefixFramer(form), text));
  };
  CHECK(sizes({1, true, 0, 0}, "\3abc\0\1x"s) == Sizes{4, 1, 2});
  CHECK(sizes({2, true, 0, 0}, "\0\3abc\0\0"s) == Sizes{5, 2});
  CHECK(sizes({2, false, 0, 0}, "\3\0abc"s) == Sizes{5});
  CHECK(sizes({4, true, 0, -4}, "\0\0\0\7abc\0\0\0\4"s) == Sizes{7, 4});
  CHECK(sizes({4, false, 2, 2}, "id\1\0\0\0abcid\0\0\0\0xy"s) == Sizes{9, 8});
  CHECK(sizes({8, true, 1, 0}, "i\0\0\0\0\0\0\0\2ab"s) == Sizes{11});
  CHECK(sizes({8, false, 0, 0}, "\2\0\0\0\0\0\0\0ab"s) == Sizes{10});
  const PrefixFramer counts_itself({4, true, 0, -4});
  CHECK(read_at_every_cut(counts_itself, "\0\0\0\3abc"s).wrong == kLengthTooSmall);
  CHECK(read_at_every_cut(PrefixFramer({8, true, 0, 0}), std::string(9, '\xff')).wrong ==
        kLengthTooLarge);
  const PrefixFramer adjusted({8, true, 0, std::numeric_limits<std::int64_t>::max()});
  CHECK(read_at_every_cut(adjusted, "\x7f"s + std::string(7, '\xff') + "x").unfinished == 9);
  PrefixFramer::State state;
  CHECK(PrefixFramer({4, true, 0, 0}).take(state, as_bytes("HTTP/1.1"), {}).ahead ==
        0x48545450 - 4);
}

TEST_CASE("a varint at the front, up to 64 bits") {
  CHECK(sizes_of(read_at_every_cut(VarintFramer(0), "\0\1a\3abc"s)) == Sizes{1, 2, 4});
  CHECK(sizes_of(read_at_every_cut(VarintFramer(0), "\x82\0ab"s)) == Sizes{4});
  CHECK(sizes_of(read_at_every_cut(VarintFramer(-2), "\4ab\2"s)) == Sizes{3, 1});
  CHECK(read_at_every_cut(VarintFramer(-2), "\1"s).wrong == kLengthTooSmall);
  CHECK(read_at_every_cut(VarintFramer(0), std::string(11, '\x80')).wrong ==
        "its length is a varint of over 64 bits"s);
  CHECK(read_at_every_cut(VarintFramer(0), std::string(9, '\xff') + "\1").wrong == kLengthTooLarge);
}

TEST_CASE("RESP: one value with all that is in it, and the errors among them") {
  const Reading simple =
      read_at_every_cut(RespFramer(), "+PONG\r\n-ERR no\r\n:-5\r\n$3\r\nabc\r\n");
  CHECK(sizes_of(simple) == Sizes{7, 9, 5, 9});
  CHECK(simple.replies[1].error);
  CHECK_FALSE(simple.replies[2].error);
  CHECK(sizes_of(read_at_every_cut(RespFramer(), "$-1\r\n$0\r\n\r\n*-1\r\n*0\r\n")) ==
        Sizes{5, 6, 5, 4});
  CHECK(sizes_of(read_at_every_cut(
            RespFramer(), "*2\r\n*2\r\n:1\r\n$2\r\n\r\n\r\n-ERR\r\n+OK\r\n")) == Sizes{26, 5});
  const Reading three =
      read_at_every_cut(RespFramer(), "%1\r\n+k\r\n~2\r\n#t\r\n_\r\n,1.5\r\n!5\r\nSYN x\r\n");
  CHECK(sizes_of(three) == Sizes{19, 6, 11});
  CHECK(three.replies[2].error);
  CHECK(sizes_of(read_at_every_cut(
            RespFramer(), "|1\r\n+a\r\n:1\r\n+OK\r\n(12\r\n=5\r\ntxt:a\r\n")) == Sizes{17, 5, 11});
}

TEST_CASE("RESP: a reply is the value behind its attributes, and they are no errors") {
  const std::string attribute = "|2\r\n+ttl\r\n:10\r\n-a\r\n*2\r\n-b\r\n|1\r\n+c\r\n:0\r\n%0\r\n";
  const std::string text = attribute + "-ERR no\r\n" + attribute + attribute + "*1\r\n-in\r\n" +
                           "*2\r\n" + attribute + "-in\r\n$2\r\nok\r\n|0\r\n!5\r\nSYN x\r\n";
  const Reading reading = read_at_every_cut(RespFramer(), text);
  REQUIRE(reading.replies.size() == 4);
  CHECK(reading.replies[0].error);
  CHECK(reading.replies[0].content == "-ERR no\r\n");
  CHECK_FALSE(reading.replies[1].error);
  CHECK(reading.replies[1].content == "*1\r\n-in\r\n");
  CHECK_FALSE(reading.replies[2].error);
  CHECK(reading.replies[2].content == "*2\r\n" + attribute + "-in\r\n$2\r\nok\r\n");
  CHECK(reading.replies[3].error);
  CHECK(resp_error_word(attribute + "-ERR no\r\n") == "ERR");
  CHECK(resp_error_word("|0\r\n!5\r\nSYN x\r\n") == "SYN");
  CHECK(resp_error_word(attribute).empty());
}

TEST_CASE("RESP: what is no value is wrong at the byte where it is seen") {
  for (const char* text : {"HTTP/1.1", "+OK\n", "$3\r\nabcd\r\n", "$x\r\n", "$\r\n", "*-2\r\n",
                           "$3\r\nabc\rx", ">2\r\n", "+OK\rx", "$9999999999999\r\n"}) {
    CAPTURE(text);
    CHECK_FALSE(read_at_every_cut(RespFramer(), text).wrong.empty());
  }
  // Aggregates in aggregates end, too.
  std::string deep;
  for (int i = 0; i < 20; ++i) deep += "*9999999\r\n";
  CHECK(read_pieces(RespFramer(), deep, {}, {}).wrong.empty());
  CHECK(resp_error_word("-WRONGTYPE Operation") == "WRONGTYPE");
  CHECK(resp_error_word("!10\r\nSYNTAX bad\r\n") == "SYNTAX");
}

TEST_CASE("memcached: a line, values up to END, statistics, and meta replies") {
  CHECK(sizes_of(read_at_every_cut(MemcachedFramer(), "STORED\r\nEND\r\n17\r\nVERSION 1.6\r\n")) ==
        Sizes{8, 5, 4, 13});
  CHECK(sizes_of(read_at_every_cut(
            MemcachedFramer(), "VALUE k 0 5\r\nEND\r\n\r\nVALUE l 0 0 7\r\n\r\nEND\r\nOK\r\n")) ==
        Sizes{42, 4});
  CHECK(sizes_of(
            read_at_every_cut(MemcachedFramer(), "VA 2 c1\r\n\r\n\r\nHD\r\nSTAT a 1\r\nEND\r\n")) ==
        Sizes{13, 4, 15});
  // A counter has 64 bits.
  CHECK(sizes_of(read_at_every_cut(MemcachedFramer(),
                                   "2199023255553\r\n18446744073709551615\r\n")) == Sizes{15, 22});
  const Reading errors =
      read_at_every_cut(MemcachedFramer(), "ERROR\r\nSERVER_ERROR out of memory\r\nEN\r\n");
  REQUIRE(errors.replies.size() == 3);
  CHECK(errors.replies[0].error);
  CHECK(errors.replies[1].error);
  CHECK_FALSE(errors.replies[2].error);
  CHECK(memcached_error_word("SERVER_ERROR out") == "SERVER_ERROR");
  CHECK(memcached_error_word("STORED\r\n").empty());
}

TEST_CASE("RESP and memcached: what answers a read is a hit where anything is in it") {
  const auto statuses = [](const auto& framer, std::string_view text) {
    const Asked reads[] = {{.reads = true}};
    std::vector<std::uint16_t> all;
    for (const Framed& reply : read_at_every_cut(framer, text, reads).replies)
      all.push_back(reply.status);
    return all;
  };
  CHECK(statuses(RespFramer(),
                 "$-1\r\n$0\r\n\r\n*2\r\n$-1\r\n_\r\n*2\r\n_\r\n:5\r\n%0\r\n-no\r\n|1\r\n"
                 "+a\r\n:1\r\n_\r\n") ==
        std::vector<std::uint16_t>{kMiss, kHit, kMiss, kHit, kMiss, 0, kMiss});
  CHECK(statuses(MemcachedFramer(),
                 "VALUE k 0 1\r\nv\r\nEND\r\nEND\r\nVA 1\r\nv\r\nHD\r\nEN\r\nERROR\r\n") ==
        std::vector<std::uint16_t>{kHit, kMiss, kHit, kHit, kMiss, 0});
  for (const char* get : {"GET k\r\n", "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n", "GET"})
    CHECK(resp_command(get) == "GET");
  for (const char* none : {"", "*1\r\n$4", "*", " GET"}) CHECK(resp_command(none).empty());
}

TEST_CASE("memcached: what is none of its replies is wrong") {
  for (const char* text : {"+PONG\r\n", "VALUE k 0 x\r\n", "VALUE k 0 3\r\nabcd\r\n", "\r\n",
                           "VALUE k 0 1099511627777\r\n", "18446744073709551616\r\n"}) {
    CAPTURE(text);
    CHECK_FALSE(read_at_every_cut(MemcachedFramer(), text).wrong.empty());
  }
  MemcachedFramer::State state;
  CHECK(MemcachedFramer().take(state, as_bytes("END" + std::string(3000, 'x')), {}).wrong);
}

namespace {

// Two bytes of id, the flags, and how many questions, answers, authorities and additional records.
std::string dns_header(std::string_view flags, std::string_view counts) {
  std::string header = "id" + std::string(flags);
  for (const char count : counts) header += "\0"s + static_cast<char>(count - '0');
  return header;
}

const std::string kName = "\7example\3com\0"s;
const std::string kQuestion = kName + "\0\1\0\1"s;
// An address, its name a pointer to that of the question.
const std::string kRecord = "\xc0\x0c\0\1\0\1\0\0\0\1\0\4\x7f\0\0\1"s;

// The record of EDNS, with these upper bits of the RCODE.
std::string edns(char upper) { return "\0\0\x29\4\xd0"s + upper + "\0\0\0\0\0"s; }

std::string behind_length(const std::string& message) {
  return std::string{'\0', static_cast<char>(message.size())} + message;
}

}  // namespace

TEST_CASE("DNS: an answer says by its RCODE, and by that of EDNS, whether it is one") {
  const std::string messages[] = {
      dns_header("\x81\x80", "1100") + kQuestion + kRecord,
      dns_header("\x81\x82", "1000") + kQuestion,
      dns_header("\x81\x83", "1000") + kQuestion,
      dns_header("\x83\x80", "1000") + kQuestion,
      dns_header("\x81\x80", "1101") + kQuestion + kRecord + edns(1),
      dns_header("\x81\x85", "1011") + kQuestion + kRecord + edns(0),
      dns_header("\x81\x80", "0000"),
      dns_header("\x83\x80", "1101") + kQuestion,
  };
  const std::uint16_t statuses[] = {0, 2, 3, kDnsTruncated, 16, 5, 0, kDnsTruncated};
  std::string stream;
  for (std::size_t i = 0; i < std::size(messages); ++i) {
    CAPTURE(i);
    DnsFramer::State state;
    const Step step = DnsFramer(true).take(state, as_bytes(messages[i]), {});
    CHECK(step.whole);
    CHECK(step.taken == messages[i].size());
    CHECK(step.status == statuses[i]);
    CHECK(step.error == (statuses[i] != 0 && statuses[i] != 3 && statuses[i] != kDnsTruncated));
    stream += behind_length(messages[i]);
  }
  const Reading reading = read_at_every_cut(DnsFramer(), stream);
  REQUIRE(reading.replies.size() == std::size(messages));
  for (std::size_t i = 0; i < std::size(messages); ++i) {
    CHECK(reading.replies[i].content == behind_length(messages[i]));
    CHECK(reading.replies[i].status == statuses[i]);
  }
  DnsFramer::State state;
  CHECK(DnsFramer().take(state, as_bytes("\1\0abc"s), {}).ahead == 253);
  CHECK(dns_rcode_name(2) == "SERVFAIL");
  CHECK(dns_rcode_name(16) == "BADVERS");
  CHECK(dns_rcode_name(4000) == "RCODE 4000");
}

TEST_CASE("DNS: what is no answer is wrong") {
  for (const std::string& message :
       {"short"s, dns_header("\1\0"s, "1000") + kQuestion, dns_header("\x81\x80", "0001"),
        dns_header("\x81\x80", "1101") + kQuestion + kRecord,
        dns_header("\x81\x80", "0001") + "\x3f"}) {
    DnsFramer::State state;
    CHECK(DnsFramer(true).take(state, as_bytes(message), {}).wrong);
    CHECK_FALSE(read_at_every_cut(DnsFramer(), behind_length(message)).wrong.empty());
  }
}

TEST_CASE("DNS: a question is known for one, and nothing else is") {
  const std::string asks = dns_header("\1\0"s, "1000") + kQuestion;
  const std::string with_edns = dns_header("\1\0"s, "1001") + kQuestion + edns(0);
  CHECK(is_dns_question(as_bytes(asks)));
  CHECK(is_dns_question(as_bytes(with_edns)));
  CHECK(is_dns_question(as_bytes(dns_header("\0\0"s, "1000") + "\0\0\2\0\1"s)));
  for (std::size_t size = 0; size < asks.size(); ++size)
    CHECK_FALSE(is_dns_question(as_bytes(std::string_view(asks).substr(0, size))));
  for (std::size_t size = 0; size < with_edns.size(); ++size)
    CHECK_FALSE(is_dns_question(as_bytes(std::string_view(with_edns).substr(0, size))));
  for (const std::string& other :
       {asks + "x", dns_header("\x81\0"s, "1000") + kQuestion,
        dns_header("\x21\0"s, "1000") + kQuestion, dns_header("\1\1", "1000") + kQuestion,
        dns_header("\1\0"s, "1100") + kQuestion, dns_header("\1\0"s, "0000") + kQuestion,
        std::string(30, '\0'), std::string(30, 'a')}) {
    CAPTURE(other);
    CHECK_FALSE(is_dns_question(as_bytes(other)));
  }
}
