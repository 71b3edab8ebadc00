// What netload sends in a format, and what it takes for an answer.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "netload/traffic_plan.h"

using namespace wiremark;
using namespace wiremark::tools;

namespace {

constexpr std::uint32_t kConnection = 7;

TrafficPlan plan_of(std::string_view format) {
  TrafficPlan plan;
  plan.format = format;
  REQUIRE(add_contents(plan, {}));
  return plan;
}

// Calls body(traffic) with the traffic of every format.
template <class Body>
void for_each_traffic(Body&& body) {
  for (const std::string_view name : wire::Codecs::kNames) {
    CAPTURE(name);
    const TrafficPlan plan = plan_of(name);
    REQUIRE(with_traffic(plan, [&](auto& traffic) {
      if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(traffic)>, RawTraffic>)
        body(traffic, name);
    }));
  }
}

std::string sent_by(auto& traffic, std::uint32_t connection, std::uint32_t sequence) {
  net::Conn conn;
  const std::size_t size = traffic.send(conn, connection, sequence);
  conn.copy_lent();
  std::string text(as_text(conn.out.view()));
  CHECK(text.size() == size);
  return text;
}

}  // namespace

TEST_CASE("every message differs from the one before, and its echo is its answer") {
  for_each_traffic([](auto& traffic, std::string_view) {
    std::set<std::string> all;
    for (std::uint32_t sequence = 0; sequence < 100; ++sequence) {
      const std::string message = sent_by(traffic, kConnection, sequence);
      all.insert(message);
      const Reply reply = traffic.check(kConnection, sequence, 0, as_bytes(message));
      CHECK(reply.whole);
      CHECK(reply.consumed == message.size());
    }
    CHECK(all.size() == 100);
    CHECK(sent_by(traffic, kConnection, 0) != sent_by(traffic, kConnection + 22, 0));
  });
}

TEST_CASE("an answer is read only when it is whole, and no further") {
  for_each_traffic([](auto& traffic, std::string_view) {
    const std::string message = sent_by(traffic, kConnection, 0);
    for (std::size_t size = 0; size < message.size(); ++size) {
      const Reply reply = traffic.check(kConnection, 0, 0, as_bytes(message).first(size));
      REQUIRE(reply.consumed == 0);
      REQUIRE_FALSE(reply.whole);
      REQUIRE_FALSE(reply.refused);
    }
    const std::string more = message + sent_by(traffic, kConnection, 1);
    CHECK(traffic.check(kConnection, 0, 0, as_bytes(more)).consumed == message.size());
  });
}

TEST_CASE("the answer to another message is refused, and by what it differs") {
  for_each_traffic([](auto& traffic, std::string_view name) {
    // The same content comes again after 22 messages, with another guid.
    const std::string message = sent_by(traffic, kConnection, 22);
    REQUIRE(traffic.check(kConnection, 0, 0, as_bytes(message)).refused);
    CHECK(traffic.refusal().kind == std::string(name) + ": wrong guid");
    CHECK(traffic.refusal().detail.starts_with("a " + std::string(name) + " answer has head 567"));
    std::string other = sent_by(traffic, kConnection, 0);
    const std::size_t place =
        other.find("INFO") == std::string::npos ? other.size() - 6 : other.find("INFO");
    other[place] = other[place] == 'x' ? 'y' : 'x';
    REQUIRE(traffic.check(kConnection, 0, 0, as_bytes(other)).refused);
    CHECK(traffic.refusal().kind == std::string(name) + ": wrong content");
    CHECK(traffic.refusal().detail.ends_with("the content differs"));
  });
}

TEST_CASE("what comes in another format is named") {
  for_each_traffic([](auto& traffic, std::string_view name) {
    const std::string_view other = name == "json" ? "protobuf" : "json";
    const TrafficPlan plan = plan_of(other);
    std::string message;
    REQUIRE(with_traffic(plan, [&](auto& foreign) { message = sent_by(foreign, 1, 0); }));
    message += message;  // For bytes, whose frames are longer than the payload's length says.
    REQUIRE(traffic.check(1, 0, 0, as_bytes(message)).refused);
    const std::string detail = traffic.refusal().detail;
    CAPTURE(detail);
    if (name == "bytes") return;  // Any bytes of the right length are one of its messages.
    CHECK(detail.find("expected a " + std::string(name) + " frame, got ") != std::string::npos);
    CHECK(detail.ends_with("(looks like " + std::string(other) + ")"));
  });
}

TEST_CASE("without verification answers are counted and not looked into") {
  TrafficPlan plan = plan_of("json");
  plan.verify = false;
  REQUIRE(with_traffic(plan, [&](auto& traffic) {
    const Reply reply = traffic.check(1, 0, 0, as_bytes(std::string_view("\3\0\0\0xyz", 7)));
    CHECK(reply.whole);
    CHECK(reply.consumed == 7);
  }));
}
