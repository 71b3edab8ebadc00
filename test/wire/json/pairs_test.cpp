// Pairs in JSON: the packets of E6, and a search that must not be fooled by what it skips.
#include "wire/json/pairs.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "codecbench/rivals/simdjson_library.h"
#include "wire/json/texts.h"
#include "wire/rounds.h"
#include "wire/vectors.h"

using namespace wiremark;
using namespace wiremark::tools;
using namespace wiremark::wire;
using namespace wiremark::wire::test;
using enum DecodeErrorKind;

namespace {

template <class P>
std::string encode(const P& pairs, std::span<const Value> values) {
  std::vector<std::byte> to(pairs.max_size(values));
  to.resize(pairs.encode(values, to));
  return std::string(as_text(to));
}

struct Taken {
  DecodeErrorKind kind = none;
  Value value;
};

template <class P>
Taken take(std::string_view text, unsigned key, ValueType type, bool checked) {
  static P pairs;
  static std::string held;
  const std::vector<std::byte> packet = exact(text);
  Taken taken;
  taken.kind = checked ? pairs.take_checked(packet, key, type, taken.value).kind
                       : pairs.take(packet, key, type, taken.value).kind;
  const auto* borrowed = std::get_if<std::string_view>(&taken.value);
  if (taken.kind == none && borrowed != nullptr) {
    held = *borrowed;
    taken.value = std::string_view(held);
  }
  return taken;
}

void expect(std::string_view text, unsigned key, ValueType type, const Value& value) {
  for (const bool checked : {false, true}) {
    for (const Taken& taken : {take<JsonPairs>(text, key, type, checked),
                               take<SimdjsonPairs>(text, key, type, checked)}) {
      INFO(std::string(text), " checked ", checked);
      CHECK(to_string(taken.kind) == "none");
      CHECK((taken.value == value));
    }
  }
}

void refuse(std::string_view text, unsigned key, ValueType type, DecodeErrorKind kind) {
  INFO(std::string(text));
  CHECK(to_string(take<JsonPairs>(text, key, type, true).kind) == to_string(kind));
  CHECK(to_string(take<SimdjsonPairs>(text, key, type, true).kind) == to_string(kind));
}

}  // namespace

TEST_CASE("json pairs: every value of every packet of E6 is written and taken") {
  const JsonPairs pairs;
  for (const unsigned count : {1U, 2U, 3U, 16U, 32U, 63U}) {
    const std::string text = encode(pairs, std::span(kPairValues).first(count));
    CHECK(nlohmann::json::parse(text).size() == count);
    for (unsigned key = 1; key <= count; ++key) {
      expect(text, key, pair_type(key), pair_value(key));
    }
    if (count < 63) refuse(text, count + 1, ValueType::text, missing_field);
  }
}

TEST_CASE("json pairs: the published packets are read") {
  for (const auto& [name, count] :
       {std::pair("stress_c03.json", 3U), std::pair("stress_c16.json", 16U),
        std::pair("stress_c32.json", 32U)}) {
    const std::string text = read_json(name).dump();
    for (unsigned key = 1; key <= count; ++key) {
      expect(text, key, pair_type(key), pair_value(key));
    }
  }
}

TEST_CASE("json pairs: extreme values and texts that need escapes survive") {
  using std::numeric_limits;
  const std::vector<std::vector<Value>> sets = {
      {std::string_view("a\"\\\n\0\u20ac", 8), numeric_limits<std::int32_t>::min(),
       numeric_limits<std::uint32_t>::max(), numeric_limits<std::int64_t>::min(), std::uint64_t{0},
       numeric_limits<float>::max(), numeric_limits<double>::max()},
      {std::string_view("\",\"k2\":7,"), numeric_limits<std::int32_t>::max(), std::uint32_t{0},
       numeric_limits<std::int64_t>::max(), numeric_limits<std::uint64_t>::max() - 1,
       numeric_limits<float>::min(), -0.1},
  };
  for (const std::vector<Value>& values : sets) {
    const std::string text = encode(JsonPairs(), values);
    REQUIRE(!text.empty());
    for (unsigned key = 1; key <= values.size(); ++key) {
      expect(text, key, pair_type(key), values[key - 1]);
    }
  }
}

TEST_CASE("json pairs: what JSON cannot carry is not written") {
  const JsonPairs pairs;
  CHECK(encode(pairs, std::vector<Value>{std::numeric_limits<double>::infinity()}).empty());
  CHECK(encode(pairs, std::vector<Value>{std::numeric_limits<float>::quiet_NaN()}).empty());
  CHECK(encode(pairs, std::vector<Value>{std::string_view("\xff")}).empty());
  CHECK(encode(pairs, std::vector<Value>(64, 1.0)).empty());
}

TEST_CASE("json pairs: the search is not fooled by names inside texts and inner objects") {
  constexpr auto kInt = ValueType::int32;
  const Value five = std::int32_t{5};
  const std::string tail = R"(,"k8":"some more text behind it"})";
  expect(R"({"k1":"\"k2\":7","k2":5)" + tail, 2, kInt, five);
  expect(R"({"k1":",\"k2\":7,","k2":5)" + tail, 2, kInt, five);
  expect(R"({"k1":{"k2":7},"k2":5)" + tail, 2, kInt, five);
  expect(R"({"k1":[{"k2":7}],"k2":5)" + tail, 2, kInt, five);
  expect(R"({"k1":"k2","k2":5)" + tail, 2, kInt, five);
  expect(R"({"k22":7,"k2":5)" + tail, 2, kInt, five);
  expect(R"({"xk2":7,"k2":5)" + tail, 2, kInt, five);
  expect(R"({"\u006b2":5)" + tail, 2, kInt, five);
  expect(R"( { "k1" : "\\" , "k2" : 5 )" + tail, 2, kInt, five);
  expect(R"({"k1":"[{","k2":5)" + tail, 2, kInt, five);
  expect(R"({"k1":"a string that holds : and ,","k2":5})", 2, kInt, five);
  expect(R"({"k2":5})", 2, kInt, five);
  // In every place of a block, and with the other name on either side of its edge.
  for (std::size_t shift = 0; shift < 40; ++shift) {
    const std::string pad(shift, 'x');
    expect(R"({"k1":")" + pad + R"(","k2":5})", 2, kInt, five);
    expect(R"({"k1":")" + pad + R"(","k3":"k2","k2":5)" + tail, 2, kInt, five);
    expect(R"({"k1":")" + pad + R"(\"k2\":7","k2":5)" + tail, 2, kInt, five);
    expect(R"({"k1":")" + pad + R"(","k32":5})", 32, kInt, five);
  }
}

TEST_CASE("json pairs: members are read wherever the blocks that are looked at end") {
  const Value whole = std::int64_t{-123456789012345};
  for (std::size_t shift = 0; shift < 140; ++shift) {
    INFO(shift);
    const std::string begin = R"({"k1":")" + std::string(shift, 'x') + R"(","k2":-0.5,)";
    for (const std::string_view end : {"}", ",\"k4\":12}", ",\"k4\":\"y\",\"k12\":1.25}"}) {
      const std::string text = begin + R"("k3":-123456789012345)" + std::string(end);
      expect(text, 3, ValueType::int64, whole);
      refuse(text, 3, ValueType::int32, number_out_of_range);
      refuse(text, 5, ValueType::int32, missing_field);
      refuse(text + ",", 3, ValueType::int64, trailing_data);
    }
    refuse(begin + R"("k3":1,"k3":2})", 3, ValueType::int32, duplicate_field);
    refuse(begin + R"("k3":1,"k4":"\ud800","k3":2})", 3, ValueType::int32, invalid_escape);
    refuse(begin + R"("k3":"1","k4":01})", 3, ValueType::int32, wrong_type);
    refuse(begin + R"("k3":1,"k4":01})", 3, ValueType::int32, number_format);
    refuse(begin + R"("k3":1,"k4":-})", 3, ValueType::int32, number_format);
    refuse(begin + R"("k3":1,"k4":1.})", 3, ValueType::int32, number_format);
  }
}

TEST_CASE("json pairs: a fraction too small for its type is zero with its sign") {
  const std::string zeros(400, '0');
  for (const std::string& number :
       {std::string("4e-652"), std::string("0.23E-4906"), "0." + zeros + "1", "0." + zeros + "1e+9",
        "1" + zeros + "e-999", std::string("1e-99999999999999999999"), std::string("0e999"),
        std::string("0e99999999999999999999"), std::string("0.0e-999")}) {
    for (const std::string sign : {"", "-"}) {
      for (const ValueType type : {ValueType::float64, ValueType::float32}) {
        const std::string text = "{\"k1\":" + sign + number + "}";
        const bool wide = type == ValueType::float64;
        expect(text, 1, type, wide ? Value(0.0) : Value(0.0F));
        const Value taken = take<SimdjsonPairs>(text, 1, type, true).value;
        INFO(text);
        CHECK((wide ? std::signbit(std::get<double>(taken))
                    : std::signbit(std::get<float>(taken))) == !sign.empty());
      }
    }
  }
  expect(R"({"k1":1e-50})", 1, ValueType::float32, 0.0F);
  expect(R"({"k1":1e-50})", 1, ValueType::float64, 1e-50);
  expect(R"({"k1":1e-45})", 1, ValueType::float32, std::numeric_limits<float>::denorm_min());
  for (const char* number : {"1e309", "1E+400", "-1e99999999999999999999", "0.01e999"}) {
    refuse("{\"k1\":" + std::string(number) + "}", 1, ValueType::float64, number_out_of_range);
  }
  refuse("{\"k1\":1" + zeros + "}", 1, ValueType::float64, number_out_of_range);
}

TEST_CASE("json pairs: a float is nearest to its digits, not to the double nearest to them") {
  // Just above halfway from 1 to the next float; the double is halfway and would go to 1.
  expect(R"({"k1":1.0000000596046448})", 1, ValueType::float32, 1.00000012F);
  expect(R"({"k1":3.4028235677973366e38})", 1, ValueType::float32,
         std::numeric_limits<float>::max());
}

TEST_CASE("json pairs: what is wrong with a packet is named") {
  refuse("", 1, ValueType::text, truncated);
  refuse("[1]", 1, ValueType::text, wrong_type);
  refuse(R"({"k1":"a"})", 2, ValueType::text, missing_field);
  refuse(R"({"k1":1,"k1":2})", 1, ValueType::int32, duplicate_field);
  refuse(R"({"k1":"a"})", 1, ValueType::int32, wrong_type);
  refuse(R"({"k1":1})", 1, ValueType::text, wrong_type);
  refuse(R"({"k1":1.5})", 1, ValueType::uint64, wrong_type);
  refuse(R"({"k1":-1})", 1, ValueType::uint32, number_out_of_range);
  refuse(R"({"k1":-1})", 1, ValueType::uint64, number_out_of_range);
  refuse(R"({"k1":18446744073709551616})", 1, ValueType::uint64, number_out_of_range);
  refuse(R"({"k1":1e999})", 1, ValueType::float64, number_out_of_range);
  refuse(R"({"k1":1e39})", 1, ValueType::float32, number_out_of_range);
  refuse(R"({"k1":1,"k2":[1,,2]})", 1, ValueType::int32, syntax);
  refuse(R"({"k1":1,"k2":01})", 1, ValueType::int32, number_format);
  refuse(R"({"k1":1,})", 1, ValueType::int32, syntax);
  refuse(R"({"k1":1} 2)", 1, ValueType::int32, trailing_data);
  refuse(R"({"k1":1,"k2":"\x"})", 1, ValueType::int32, invalid_escape);
  refuse(R"({"k1":1,"k2":)" + std::string(3000, '[') + "}", 1, ValueType::int32, depth_exceeded);
}

TEST_CASE(
    "json pairs: a whole packet of many pairs is judged as by simdjson, whatever is changed") {
  const std::string text = encode(JsonPairs(), kPairValues);
  constexpr std::string_view kTelling = "\"\\{}[],:0123456789-+.k \t\ntfn\x1f\x7f\xc3\xff";
  std::mt19937 random(31);
  std::size_t accepted = 0;
  for (unsigned i = 0; i < rounds(100'000); ++i) {
    std::string changed = text;
    for (std::size_t left = 1 + random() % 3; left > 0; --left) {
      const std::size_t at = random() % changed.size();
      const char byte = kTelling[random() % kTelling.size()];
      if (random() % 3 == 0) {
        changed.insert(at, 1, byte);
      } else if (random() % 3 == 0) {
        changed.erase(at, 1);
      } else {
        changed[at] = byte;
      }
    }
    const auto key = static_cast<unsigned>(1 + random() % kMaxPairs);
    const Taken own = take<JsonPairs>(changed, key, pair_type(key), true);
    const Taken theirs = take<SimdjsonPairs>(changed, key, pair_type(key), true);
    INFO(changed);
    REQUIRE(own.kind == theirs.kind);
    if (own.kind != none) continue;
    ++accepted;
    REQUIRE((own.value == theirs.value));
    // SimdjsonPairs asks the walker why a packet is wrong; this parser is nobody's.
    REQUIRE(nlohmann::json::accept(changed));
  }
  CHECK(accepted > rounds(5'000));
}

TEST_CASE("json pairs: every prefix and every change of a byte ends without a read outside") {
  const std::string text = encode(JsonPairs(), std::span(kPairValues).first(16));
  for (std::size_t size = 0; size < text.size(); ++size) {
    refuse(text.substr(0, size), 8, ValueType::text, truncated);
    (void)take<JsonPairs>(text.substr(0, size), 8, ValueType::text, false);
  }
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const char byte : {'"', '\\', '{', '}', ',', ':', '0', 'k', '\0', '\xff'}) {
      std::string changed = text;
      changed[at] = byte;
      const Taken own = take<JsonPairs>(changed, 8, ValueType::text, true);
      const Taken theirs = take<SimdjsonPairs>(changed, 8, ValueType::text, true);
      INFO(changed);
      CHECK(own.kind == theirs.kind);
      (void)take<JsonPairs>(changed, 8, ValueType::text, false);
    }
  }
}
