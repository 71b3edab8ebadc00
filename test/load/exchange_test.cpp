// What a load sends, and what it takes for an answer.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "load/exchange/exchanges.h"
#include "wire/codecs.h"
#include "wire/frame.h"

using namespace wiremark;
using namespace wiremark::load;

namespace {

constexpr std::uint32_t kConnection = 7;

std::unique_ptr<ExchangePlan> plan_of(std::string_view name, bool verify = true,
                                      std::uint64_t run = 0) {
  auto plan = plan_exchange({.name = std::string(name), .verify = verify}, run);
  REQUIRE(plan);
  return std::move(*plan);
}

// Calls body(exchange, name) with each exchange that reads formats.
template <class Body>
void for_each_format(Body&& body) {
  for (const std::string& name : exchange_names()) {
    if (name == exchange_names().front()) continue;
    CAPTURE(name);
    const auto plan = plan_of(name);
    body(*plan->exchange(1), name);
  }
}

std::string sent_by(Exchange& exchange, std::uint32_t connection, std::uint32_t sequence,
                    bool datagram = false) {
  const MessageId message{0, connection, sequence};
  const std::string head = datagram ? std::string(as_text(exchange.head(message))) : std::string();
  return head + std::string(as_text(exchange.request(message)));
}

Reply reply_of(Exchange& exchange, std::uint32_t sequence, const std::string& bytes) {
  return exchange.reply({0, kConnection, sequence}, as_bytes(bytes));
}

}  // namespace

TEST_CASE("every message differs from the one before, and its echo is its answer") {
  for_each_format([](Exchange& exchange, const std::string&) {
    std::set<std::string> all;
    for (std::uint32_t sequence = 0; sequence < 100; ++sequence) {
      const std::string message = sent_by(exchange, kConnection, sequence);
      all.insert(message);
      const Reply reply = reply_of(exchange, sequence, message);
      CHECK(reply.consumed == message.size());
      CHECK(reply.size == message.size());
    }
    CHECK(all.size() == 100);
    CHECK(sent_by(exchange, kConnection, 0) != sent_by(exchange, kConnection + 22, 0));
  });
}

TEST_CASE("an answer is read only when it is whole, and no further") {
  for_each_format([](Exchange& exchange, const std::string&) {
    const std::string message = sent_by(exchange, kConnection, 0);
    for (std::size_t size = 0; size < message.size(); ++size) {
      const Reply reply = reply_of(exchange, 0, message.substr(0, size));
      REQUIRE(reply.consumed == 0);
      REQUIRE(reply.size == 0);
      REQUIRE_FALSE(reply.refused);
    }
    const std::string more = message + sent_by(exchange, kConnection, 1);
    CHECK(reply_of(exchange, 0, more).consumed == message.size());
  });
}

TEST_CASE("raw answers are read in the pieces in which they come, and anew on a new connection") {
  const auto plan = plan_of("raw");
  const auto exchange = plan->exchange(1);
  const std::string message = sent_by(*exchange, kConnection, 0);
  for (std::size_t cut = 1; cut < message.size(); ++cut) {
    CHECK(reply_of(*exchange, 0, message.substr(0, cut)).size == 0);
    CHECK(reply_of(*exchange, 0, message.substr(cut)).size == message.size());
  }
  CHECK(reply_of(*exchange, 0, message.substr(0, 100)).consumed == 100);
  exchange->opened(0);
  CHECK(reply_of(*exchange, 0, message).size == message.size());
  std::string wrong = message;
  wrong.back() ^= 1;
  CHECK(reply_of(*exchange, 0, wrong).refused);
}

TEST_CASE("the answer to another message is refused, and by what it differs") {
  for_each_format([](Exchange& exchange, const std::string& name) {
    // The same content comes again after 22 messages, with another guid.
    const std::string message = sent_by(exchange, kConnection, 22);
    REQUIRE(reply_of(exchange, 0, message).refused);
    CHECK(exchange.refusal().kind == name + ": wrong guid");
    CHECK(exchange.refusal().detail.starts_with("a " + name + " answer has head 567"));
    std::string other = sent_by(exchange, kConnection, 0);
    const std::size_t place =
        other.find("INFO") == std::string::npos ? other.size() - 6 : other.find("INFO");
    other[place] = other[place] == 'x' ? 'y' : 'x';
    REQUIRE(reply_of(exchange, 0, other).refused);
    CHECK(exchange.refusal().kind == name + ": wrong content");
    CHECK(exchange.refusal().detail.ends_with("the content differs"));
  });
}

TEST_CASE("what comes in another format is named") {
  for_each_format([](Exchange& exchange, const std::string& name) {
    const std::string_view other = name == "json" ? "protobuf" : "json";
    const auto plan = plan_of(other);
    std::string message = sent_by(*plan->exchange(1), 1, 0);
    message += message;  // For bytes, whose frames are longer than the payload's length says.
    REQUIRE(reply_of(exchange, 0, message).refused);
    const std::string detail = exchange.refusal().detail;
    CAPTURE(detail);
    if (name == "bytes") return;  // Any bytes of the right length are one of its messages.
    CHECK(detail.find("expected a " + name + " frame, got ") != std::string::npos);
    CHECK(detail.ends_with("(looks like " + std::string(other) + ")"));
  });
}

TEST_CASE("without verification answers are counted and not looked into") {
  const auto plan = plan_of("json", false);
  const auto exchange = plan->exchange(1);
  const Reply reply = reply_of(*exchange, 0, std::string("\3\0\0\0xyz", 7));
  CHECK(reply.size == 7);
  CHECK(reply.consumed == 7);
}

TEST_CASE("a datagram says which message it answers, and one of another run is none of ours") {
  for (const std::string& name : exchange_names()) {
    CAPTURE(name);
    const auto plan = plan_of(name, true, 11);
    const auto exchange = plan->exchange(1);
    for (const std::uint32_t sequence : {0u, 1u, 77u, 1u << 31, ~0u}) {
      const std::string datagram = sent_by(*exchange, kConnection, sequence, true);
      CHECK(exchange->sequence_of({0, kConnection, ~0u}, as_bytes(datagram)) == sequence);
      CHECK(reply_of(*exchange, sequence, datagram).size == datagram.size());
    }
    const std::string datagram = sent_by(*exchange, kConnection, 5, true);
    CHECK(exchange->sequence_of({0, kConnection + 1, ~0u}, as_bytes(datagram)) != 5);
    CHECK(plan_of(name, true, 12)->exchange(1)->sequence_of({0, kConnection, ~0u}, as_bytes(datagram)) != 5);
    CHECK_FALSE(exchange->sequence_of({0, kConnection, ~0u}, Bytes()));
  }
}

TEST_CASE("a datagram may have any head, and answers nothing with another than ours") {
  for_each_format([](Exchange&, const std::string& name) {
    const auto plan = plan_of(name, true, 11);
    const auto exchange = plan->exchange(1);
    for (const std::int32_t head : {INT32_MIN, -1, INT32_MAX}) {
      wire::with_codec(name, wire::Limits(), [&](auto& codec) {
        const wire::Message message{.head = head, .guid = 1, .content = "x"};
        std::vector<std::byte> frame(wire::max_frame_size(codec, message));
        frame.resize(wire::encode_frame(codec, message, frame));
        const auto sequence = exchange->sequence_of({0, kConnection, ~0u}, frame);
        REQUIRE(sequence);
        CHECK(exchange->reply({0, kConnection, *sequence}, frame).refused);
      });
    }
  });
}

TEST_CASE("what does not go with an exchange is refused with the fix") {
  CHECK(conflict_in({}, false).empty());
  CHECK(conflict_in({.name = "json"}, true).empty());
  CHECK(conflict_in({.name = "json", .size = SizeRange{1, 1}}, false).find("--input names") !=
        std::string::npos);
  CHECK(conflict_in({.input = "x"}, false).find("such as -f json") != std::string::npos);
  CHECK(conflict_in({.size = SizeRange{8, 8}}, true).find("is from 16") != std::string::npos);
  CHECK(conflict_in({.size = SizeRange{16, 65'508}}, true).find("to 65507") != std::string::npos);
}
