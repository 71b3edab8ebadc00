// netecho with a format, without a kernel: every split of a stream, in every format.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../net/sim_pair.h"
#include "netecho/protocol.h"

using namespace wiremark;
using namespace wiremark::tools;
using net::sim::Pair;

namespace {

constexpr std::size_t kFrameMax = 300;

const wire::Message kFirstMessage{.head = 567, .guid = -15, .content = "the first"};
const wire::Message kSecondMessage{.head = -1, .guid = 70'000, .content = "and a second \"one\""};

template <class C>
std::string framed(C& codec, const wire::Message& message) {
  std::string frame(wire::max_frame_size(codec, message), '\0');
  const MutableBytes room{reinterpret_cast<std::byte*>(frame.data()), frame.size()};
  frame.resize(wire::encode_frame(codec, message, room));
  REQUIRE(!frame.empty());
  return frame;
}

// A message of sockperf: sequence, flags (1: from a client, 2: asks for a reply), length, padding.
std::string of_sockperf(char flags, std::size_t size) {
  std::string message(size, '.');
  message.replace(0, 14,
                  std::string("\0\0\0\0\0\0\1\2\0", 9) + flags + std::string(2, '\0') +
                      static_cast<char>(size >> 8) + static_cast<char>(size));
  return message;
}

// The stream that a client sends, the answers it must get, and the bytes that are no frame.
struct Talk {
  std::string first, second;
  std::string answers;
  std::string malformed;
  std::string error;
};

Talk talk_in(const std::string& format) {
  if (format == SockperfAnswerer::kName) {
    return {of_sockperf(3, 40), of_sockperf(3, 14), of_sockperf(2, 40) + of_sockperf(2, 14),
            of_sockperf(3, 40).replace(13, 1, 1, '\15'), "sockperf: truncated"};
  }
  Talk talk;
  REQUIRE(wire::with_codec(format, wire::Limits(), [&](auto& codec) {
    talk.first = framed(codec, kFirstMessage);
    talk.second = framed(codec, kSecondMessage);
  }));
  talk.answers = talk.first + talk.second;
  talk.malformed = std::string("\5\0\0\0[1,2]", 9);
  talk.error = format + (format == "json"          ? ": wrong_type"
                         : format == "protobuf"    ? ": truncated"
                         : format == "flatbuffers" ? ": unaligned"
                         : format == "y3"          ? ": invalid_tag"
                                                   : ": too_large");
  // Any bytes are a content of the bytes format; only its length can be wrong.
  if (format == "bytes") talk.malformed = std::string("\xFF\xFF\0\0", 4);
  return talk;
}

// Calls body(pair, talk, counts) for each format but raw.
template <class Body>
void for_each_format(Body&& body) {
  for (const std::string& name : protocol_names()) {
    if (name == kRaw) continue;
    CAPTURE(name);
    EchoCounts counts;
    const Talk talk = talk_in(name);
    const ProtocolOptions options{.format = name, .limits = {.frame_size = kFrameMax}};
    REQUIRE(with_answerer(options, [&](auto& answerer) {
      Pair pair;
      Responder responder(pair.server, answerer, counts);
      pair.serve(responder);
      body(pair, talk, counts);
    }));
  }
}

Bytes part(const std::string& text, std::size_t from, std::size_t to) {
  return as_bytes(text).subspan(from, to - from);
}

}  // namespace

TEST_CASE("two messages cut at every pair of places are answered once each") {
  for_each_format([](Pair& pair, const Talk& talk, EchoCounts& counts) {
    const std::string stream = talk.first + talk.second;
    std::uint64_t messages = 0;
    for (std::size_t one = 0; one <= stream.size(); ++one) {
      for (std::size_t two = one; two <= stream.size(); ++two) {
        const auto conn = pair.open();
        pair.send(conn, part(stream, 0, one));
        pair.send(conn, part(stream, one, two));
        pair.send(conn, part(stream, two, stream.size()));
        REQUIRE(pair.clients.got[conn] == talk.answers);
        REQUIRE(pair.at_server(conn).stash.empty());
        pair.end_sending();
        REQUIRE(counts.messages.get() == (messages += 2));
      }
    }
    CHECK(counts.refused.empty());
    CHECK(counts.bytes_in.get() == messages / 2 * stream.size());
  });
}

TEST_CASE("an answer leaves as soon as its message is whole") {
  for_each_format([](Pair& pair, const Talk& talk, EchoCounts&) {
    const auto conn = pair.open();
    pair.send(conn, as_bytes(talk.first + talk.second).first(talk.first.size() - 1));
    CHECK(pair.clients.got[conn].empty());
    pair.send(conn, as_bytes(talk.first + talk.second).subspan(talk.first.size() - 1, 2));
    CHECK(pair.clients.got[conn] == talk.answers.substr(0, talk.first.size()));
  });
}

TEST_CASE("a malformed message ends its connection behind the answers before it, and no other") {
  for_each_format([](Pair& pair, const Talk& talk, EchoCounts& counts) {
    const auto other = pair.open();
    pair.send(other, as_bytes(talk.first).first(3));
    const auto conn = pair.open();
    pair.send(conn, as_bytes(talk.first + talk.malformed + talk.second));
    CHECK(pair.clients.got[conn] == talk.answers.substr(0, talk.first.size()));
    CHECK(pair.server.connections() == 1);
    CHECK(counts.refused == std::map<std::string, std::uint64_t>{{talk.error, 1}});
    CHECK(counts.first_refusal.starts_with(talk.error + " at byte "));
    CHECK(counts.first_refusal.find("expected a ") != std::string::npos);
    pair.send(other, as_bytes(talk.first + talk.second).subspan(3));
    CHECK(pair.clients.got[other] == talk.answers);
  });
}

TEST_CASE("a message over the limit is refused when its length is there") {
  for_each_format([](Pair& pair, const Talk& talk, EchoCounts& counts) {
    std::string header = talk.first.substr(0, 14);
    const bool is_sockperf = talk.error.starts_with("sockperf");
    const char low = static_cast<char>((kFrameMax + 1) & 0xFF);
    header.replace(is_sockperf ? 12 : 0, 2,
                   is_sockperf ? std::string{1, low} : std::string{low, 1});
    const auto conn = pair.open();
    pair.send(conn, as_bytes(header).first(is_sockperf ? 14 : 4));
    CHECK(pair.server.connections() == 0);
    REQUIRE(counts.refused.size() == 1);
    CHECK(counts.refused.begin()->first.ends_with(": too_large"));
  });
}

TEST_CASE(
    "a client that ends in the middle of a message is counted, one that ends after it is not") {
  for_each_format([](Pair& pair, const Talk& talk, EchoCounts& counts) {
    const auto whole = pair.open();
    pair.send(whole, as_bytes(talk.first));
    pair.end_sending();
    CHECK(counts.refused.empty());
    const auto cut = pair.open();
    pair.send(cut, as_bytes(talk.first + talk.second.substr(0, 5)));
    pair.end_sending();
    CHECK(pair.clients.got[cut] == talk.answers.substr(0, talk.first.size()));
    REQUIRE(counts.refused.size() == 1);
    CHECK(counts.refused.begin()->first.ends_with(": need_more_data"));
    CHECK(counts.closed.get() == 2);
  });
}

TEST_CASE("an answer is encoded anew from what was decoded") {
  EchoCounts counts;
  REQUIRE(with_answerer({.format = "json", .limits = {}}, [&](auto& answerer) {
    const std::string body = R"({ "content" : "\u0061bc", "x": [1], "guid":15, "head":567 })";
    const std::string stream = std::string{static_cast<char>(body.size()), 0, 0, 0} + body;
    const Answer answer = answerer.answer(as_bytes(stream));
    CHECK(answer.consumed == stream.size());
    CHECK(as_text(answer.bytes).substr(4) == R"({"head":567,"guid":15,"content":"abc"})");
  }));
}

TEST_CASE("sockperf gets a reply only when it asks for one") {
  SockperfAnswerer answerer{wire::Limits()};
  const std::string message = of_sockperf(1, 20);
  const Answer answer = answerer.answer(as_bytes(message));
  CHECK(answer.consumed == 20);
  CHECK(answer.bytes.empty());
  CHECK_FALSE(answer.error);
}

TEST_CASE("bytes that are no frame are told by what they look like") {
  const auto told = [](std::string_view text) {
    return wire::describe("protobuf", {wire::DecodeErrorKind::truncated, 4}, as_bytes(text));
  };
  for (const std::string_view name : wire::Codecs::kNames) {
    const std::string text = told(talk_in(std::string(name)).first);
    CAPTURE(text);
    CHECK(text.starts_with("protobuf: truncated at byte 4; expected a protobuf frame, got "));
    if (name != "protobuf") CHECK(text.ends_with("(looks like " + std::string(name) + ")"));
  }
  CHECK(told("GET / HTTP/1.1\r\n")
            .ends_with("got 47 45 54 20 2f 20 48 54 54 50 2f 31 2e 31 0d 0a "
                       "(looks like HTTP)"));
  CHECK(told("{\"head\":1}").ends_with("(looks like json without the length in front)"));
  CHECK(told("\xFE\xFE\xFE\xFE\xFE").ends_with("got fe fe fe fe fe"));
}
