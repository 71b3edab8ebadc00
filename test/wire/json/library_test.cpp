// The libraries' rows do what the own codec does, or they would not be worth comparing with.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "codecbench/rivals/jansson_library.h"
#include "codecbench/rivals/nlohmann_library.h"
#include "codecbench/rivals/simdjson_documented.h"
#include "codecbench/rivals/simdjson_library.h"
#include "wire/json/codec.h"
#include "wire/json/pairs.h"
#include "wire/json/texts.h"
#include "wire/vectors.h"

#if WIREMARK_HAS_RAPIDJSON
#include "codecbench/rivals/rapidjson_library.h"
#endif
#if WIREMARK_HAS_YYJSON
#include "codecbench/rivals/yyjson_library.h"
#endif

using namespace wiremark;
using namespace wiremark::tools;
using namespace wiremark::wire;
using namespace wiremark::wire::test;

TEST_CASE_TEMPLATE_DEFINE("json libraries: messages go there and back", Library, there_and_back) {
  JsonCodec own;
  Library library;
  for (const Message& message :
       {Message{567, 15, "abc"}, Message{-1, 0, ""},
        Message{1, 2, std::string_view("\"\\\n\0\x1f\u20ac\U0001F600", 12)}}) {
    std::vector<std::byte> room(library.max_size(message));
    Message read;
    const std::size_t size = library.encode(message, room);
    REQUIRE(size > 0);
    CHECK(!own.decode(Bytes(room).first(size), read));
    CHECK(read == message);
    const std::size_t own_size = own.encode(message, room);
    CHECK(!library.decode(Bytes(room).first(own_size), read));
    CHECK(read == message);
  }
}

TEST_CASE_TEMPLATE_DEFINE("json libraries: wrong messages are refused", Library, wrong_messages) {
  Library library;
  Message message;
  for (const char* text :
       {"", "[]", "{}", R"({"head":1,"guid":2})", R"({"head":1,"guid":2,"content":3})",
        R"({"head":"1","guid":2,"content":""})", R"({"head":4294967296,"guid":2,"content":""})",
        R"({"head":1,"guid":2,"content":""}{})", R"({"head":1,"guid":2,"content":"",})"}) {
    INFO(text);
    CHECK(library.decode(exact(text), message));
  }
}

TEST_CASE_TEMPLATE_DEFINE("json libraries: the values of E6 are taken", Library, values_of_e6) {
  const JsonPairs own;
  Library library;
  std::vector<std::byte> room(own.max_size(kPairValues));
  const std::vector<std::byte> mine(room.begin(), room.begin() + own.encode(kPairValues, room));
  const std::vector<std::byte> theirs(room.begin(),
                                      room.begin() + library.encode(kPairValues, room));
  for (const auto* packet : {&mine, &theirs}) {
    for (unsigned key = 1; key <= kMaxPairs; ++key) {
      Value value;
      INFO(key);
      CHECK(!library.take(*packet, key, pair_type(key), value));
      CHECK((value == pair_value(key)));
      CHECK(!library.take_checked(*packet, key, pair_type(key), value));
      CHECK((value == pair_value(key)));
    }
  }
}

TEST_CASE_TEMPLATE_INVOKE(there_and_back, SimdjsonCodec, JanssonCodec, NlohmannCodec);
TEST_CASE_TEMPLATE_INVOKE(wrong_messages, SimdjsonCodec, JanssonCodec, NlohmannCodec);
TEST_CASE_TEMPLATE_INVOKE(values_of_e6, SimdjsonPairs, JanssonPairs, NlohmannPairs);

TEST_CASE_TEMPLATE_DEFINE("json libraries: what must be refused is, but for depth", Library,
                          refused_but_for_depth) {
  Library library;
  for (const Vector& vector : malformed_packets("json")) {
    INFO(vector.name);
    Message message;
    const bool good = vector.expected.starts_with("ok") || vector.name.ends_with("2000 deep");
    CHECK(!library.decode(vector.packet, message) == good);
  }
  Message message;
  const auto kind = [&](std::string_view text) {
    return library.decode(exact(text), message).kind;
  };
  using enum DecodeErrorKind;
  CHECK(kind(R"({"head":1,"guid":2,"content":"","content":""})") == duplicate_field);
  CHECK(kind(R"({"x":1,"head":1,"x":2,"guid":2,"content":""})") == none);
  CHECK(kind(R"({"head":1,"guid":2,"content":"")") == truncated);
  CHECK(kind(R"({"head":1,"guid":2,"content":""}1)") == trailing_data);
  constexpr std::string_view kNul("{\"head\":1,\"guid\":2,\"content\":\"\"}\0]", 34);
  static_assert(kNul.ends_with(std::string_view("\0]", 2)));
  CHECK(kind(kNul) == trailing_data);
  CHECK(kind(R"({"content":"z","guid":2147483647,"head":-2147483648})") == none);
  CHECK(message == Message{-2147483647 - 1, 2147483647, "z"});
}

TEST_CASE_TEMPLATE_DEFINE("json libraries: memory grows and is used again", Library, kept_memory) {
  Library codec;
  JsonCodec own;
  const std::string large(900'000, 'x');
  for (const std::string_view content :
       {std::string_view("a"), std::string_view(large), std::string_view("b")}) {
    std::vector<std::byte> room(codec.max_size({1, 2, content}));
    const Bytes packet = Bytes(room).first(codec.encode({1, 2, content}, room));
    CHECK(codec.encode({1, 2, content}, MutableBytes(room).first(packet.size() - 1)) == 0);
    Message read;
    REQUIRE_FALSE(own.decode(packet, read));
    REQUIRE_FALSE(codec.decode(packet, read));
    CHECK(read == Message{1, 2, content});
  }
}

TEST_CASE_TEMPLATE_DEFINE("json libraries: integers of 64 bits are exact", Library,
                          exact_integers) {
  Library pairs;
  Value value;
  const auto packet = exact(R"({"k4":-9223372036854775808,"k5":18446744073709551615,"k5":1})");
  REQUIRE_FALSE(pairs.take(packet, 4, ValueType::int64, value));
  CHECK(value == Value(std::numeric_limits<std::int64_t>::min()));
  REQUIRE_FALSE(pairs.take(packet, 5, ValueType::uint64, value));
  CHECK(value == Value(std::numeric_limits<std::uint64_t>::max()));
  CHECK(pairs.take(packet, 5, ValueType::int64, value).kind ==
        DecodeErrorKind::number_out_of_range);
  CHECK(pairs.take(packet, 5, ValueType::text, value).kind == DecodeErrorKind::wrong_type);
  CHECK(pairs.take_checked(packet, 5, ValueType::uint64, value).kind ==
        DecodeErrorKind::duplicate_field);
  CHECK(pairs.take(packet, 6, ValueType::uint64, value).kind == DecodeErrorKind::missing_field);
}

#if WIREMARK_HAS_YYJSON
TEST_CASE_TEMPLATE_INVOKE(there_and_back, YyjsonCodec);
TEST_CASE_TEMPLATE_INVOKE(wrong_messages, YyjsonCodec);
TEST_CASE_TEMPLATE_INVOKE(values_of_e6, YyjsonPairs);
TEST_CASE_TEMPLATE_INVOKE(refused_but_for_depth, YyjsonCodec);
TEST_CASE_TEMPLATE_INVOKE(kept_memory, YyjsonCodec);
TEST_CASE_TEMPLATE_INVOKE(exact_integers, YyjsonPairs);
#endif
#if WIREMARK_HAS_RAPIDJSON
TEST_CASE_TEMPLATE_INVOKE(there_and_back, RapidjsonCodec);
TEST_CASE_TEMPLATE_INVOKE(wrong_messages, RapidjsonCodec);
TEST_CASE_TEMPLATE_INVOKE(values_of_e6, RapidjsonPairs);
TEST_CASE_TEMPLATE_INVOKE(refused_but_for_depth, RapidjsonCodec);
TEST_CASE_TEMPLATE_INVOKE(kept_memory, RapidjsonCodec);
TEST_CASE_TEMPLATE_INVOKE(exact_integers, RapidjsonPairs);
#endif

TEST_CASE("simdjson: a number of many digits is what the digits say") {
  JsonPairs own;
  SimdjsonPairs pairs;
  for (std::size_t digits = 1; digits < 60; ++digits) {
    for (const std::string start : {"0.25", "2", "-0.00"}) {
      const auto packet = exact("{\"k1\":" + start + std::string(digits, '4') + ",\"k2\":0}");
      Value expected;
      Value checked;
      Value loose;
      REQUIRE_FALSE(own.take_checked(packet, 1, ValueType::float64, expected));
      REQUIRE_FALSE(pairs.take_checked(packet, 1, ValueType::float64, checked));
      REQUIRE_FALSE(pairs.take(packet, 1, ValueType::float64, loose));
      CHECK(checked == expected);
      CHECK(loose == expected);
    }
  }
}

TEST_CASE("simdjson as documented reads messages and values in memory with room behind them") {
  DocumentedSimdjson library;
  const Message message{-1, 2, "\"\\\n\u20ac\U0001F600"};
  std::vector<std::byte> room(library.max_size(message) + 64);
  const std::size_t size = library.encode(message, room);
  Message read;
  REQUIRE_FALSE(library.decode(Bytes(room).first(size), read));
  CHECK(read == message);
  CHECK(library.decode(Bytes(room).first(size / 2), read));

  DocumentedSimdjsonPairs pairs;
  std::vector<std::byte> packet(pairs.max_size(kPairValues) + 64);
  const Bytes whole = Bytes(packet).first(pairs.encode(kPairValues, packet));
  for (unsigned key = 1; key <= kMaxPairs; ++key) {
    Value found, parsed;
    REQUIRE_FALSE(pairs.take(whole, key, pair_type(key), found));
    REQUIRE_FALSE(pairs.take_checked(whole, key, pair_type(key), parsed));
    CHECK(found == pair_value(key));
    CHECK(parsed == pair_value(key));
  }
  Value value;
  CHECK(pairs.take(whole.first(5), 1, pair_type(1), value));
  CHECK(pairs.take_checked(whole.first(whole.size() - 1), 1, pair_type(1), value));
}
