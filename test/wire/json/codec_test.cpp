// The JSON codec: what it writes, what it reads, and the name of every error.
#include "wire/json/codec.h"

#include <doctest/doctest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "wire/json/texts.h"
#include "wire/vectors.h"

using namespace wiremark;
using namespace wiremark::wire;
using namespace wiremark::wire::test;
using enum DecodeErrorKind;

namespace {

std::string encode(const JsonCodec& codec, const Message& message) {
  std::vector<std::byte> to(codec.max_size(message));
  to.resize(codec.encode(message, to));
  return std::string(as_text(to));
}

void expect(std::string_view text, DecodeErrorKind kind, std::size_t offset) {
  Message message;
  const DecodeError error = decode_by_all(text, message);
  INFO(std::string(text));
  CHECK(to_string(error.kind) == to_string(kind));
  CHECK(error.offset == offset);
}

}  // namespace

TEST_CASE("json: what is written, byte for byte") {
  const JsonCodec codec;
  CHECK(encode(codec, {567, 15, "abc"}) == kPlainJson);
  CHECK(encode(codec, {0, -1, ""}) == R"({"head":0,"guid":-1,"content":""})");
  CHECK(encode(codec, {std::numeric_limits<int>::min(), std::numeric_limits<int>::max(), "/"}) ==
        R"({"head":-2147483648,"guid":2147483647,"content":"/"})");
  CHECK(encode(codec, {1, 2, std::string_view("\"\\\b\f\n\r\t\0\x1f\x7f", 10)}) ==
        "{\"head\":1,\"guid\":2,\"content\":\"\\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001f\x7f\"}");
  CHECK(encode(codec, {1, 2, "\u00e9 \u20ac \U0001F600 and more behind it"}) ==
        "{\"head\":1,\"guid\":2,\"content\":\"\u00e9 \u20ac \U0001F600 and more behind it\"}");
}

TEST_CASE("json: every number of digits is written and read") {
  const JsonCodec codec;
  for (std::int64_t magnitude = 1; magnitude < 3'000'000'000; magnitude *= 10) {
    for (const std::int64_t number : {magnitude, magnitude - 1, -magnitude, 7 * magnitude + 3}) {
      if (number < std::numeric_limits<int>::min() || number > std::numeric_limits<int>::max()) {
        continue;
      }
      const Message message{int(number), int(-number), ""};
      Message read;
      const std::string text = encode(codec, message);
      CHECK(text.starts_with("{\"head\":" + std::to_string(number) + ","));
      CHECK(!decode_by_all(text, read));
      CHECK(read == message);
    }
  }
}

TEST_CASE("json: nothing is written into too little room, nor for a content that is not UTF-8") {
  const JsonCodec codec;
  const Message message{1, 2, "abc"};
  std::vector<std::byte> room(codec.max_size(message) - 1);
  CHECK(codec.encode(message, room) == 0);
  CHECK(encode(codec, {1, 2, "\xff"}).empty());
  CHECK(encode(codec, {1, 2, "sixteen bytes and a cut \xe2\x82"}).empty());
}

TEST_CASE("json: a worst case fits in max_size") {
  const JsonCodec codec;
  const std::string controls(1000, '\x01');
  const Message message{std::numeric_limits<int>::min(), std::numeric_limits<int>::min(), controls};
  const std::string text = encode(codec, message);
  REQUIRE(!text.empty());
  Message read;
  CHECK(!decode_by_all(text, read));
  CHECK(read == message);
}

TEST_CASE("json: the packets of malformed.json give the error named") {
  Message message;
  for (const Vector& vector : malformed_packets("json")) {
    const DecodeError error = decode_by_all(as_text(vector.packet), message);
    const std::string_view got = error ? to_string(error.kind) : "ok";
    INFO(vector.name, ": ", std::string(got));
    CHECK(vector.expected.starts_with(got));
  }
}

TEST_CASE("json: any order, white space, escaped names and unknown fields are read") {
  for (const char* text : {
           R"({"content":"abc","guid":15,"head":567})",
           "\t\r\n {\n \"head\" :\t567 , \"guid\"\r:15,\"content\": \"abc\" }\n\n ",
           R"({"head":567,"guid":15,"content":"\u0061\u0062c"})",
           R"({"\u0068ead":567,"g\u0075id":15,"conten\u0074":"abc"})",
           R"({"head":567,"x":{"y":[1,{"head":1}],"":null},"guid":15,"content":"abc"})",
           R"({"x":1,"x":2,"head":567,"guid":15,"content":"abc"})",
       }) {
    Message read;
    INFO(text);
    CHECK(!decode_by_all(text, read));
    CHECK(read == Message{567, 15, "abc"});
  }
}

TEST_CASE("json: an escape is read at every place of every length") {
  const std::vector<std::pair<std::string, std::string>> escapes = {
      {R"(\")", "\""},
      {R"(\/)", "/"},
      {R"(\u00e9)", "\u00e9"},
      {R"(\u4e2D)", "\u4e2d"},
      {R"(\ud83d\ude00)", "\U0001F600"},
      {R"(\n\r\t\b\f\\)", "\n\r\t\b\f\\"}};
  for (std::size_t size = 0; size < 70; ++size) {
    for (std::size_t at = 0; at <= size; ++at) {
      const std::string front(at, 'x');
      const std::string back(size - at, 'y');
      for (const auto& [written, meant] : escapes) {
        Message read;
        REQUIRE(!decode_by_all(R"({"head":1,"guid":2,"content":")" + front + written + back + "\"}",
                               read));
        REQUIRE(read.content == front + meant + back);
      }
    }
  }
}

TEST_CASE("json: a plain content borrows the packet") {
  JsonCodec codec;
  const std::vector<std::byte> packet = exact(kPlainJson);
  Message message;
  REQUIRE(!codec.decode(packet, message));
  CHECK(message.content.data() == as_text(packet).data() + 33);
}

TEST_CASE("json: the offset of an error") {
  expect("", truncated, 0);
  expect("  ", truncated, 2);
  expect("[1,2]", wrong_type, 0);
  expect(" 5", wrong_type, 1);
  expect("nul", truncated, 3);
  expect("nulL", syntax, 0);
  expect("\xef\xbb\xbf{}", syntax, 0);
  expect("{}", missing_field, 1);
  expect(R"({"head":1,"guid":2} x)", missing_field, 18);
  expect(R"({"head":567,"guid":15,"content":"abc"} x)", trailing_data, 39);
  expect(std::string(kPlainJson) + std::string(1, '\0'), trailing_data, 38);
  expect(R"({"head":1,"head":2,"guid":15,"content":"abc"})", duplicate_field, 10);
  expect(R"({"head":1,"h\u0065ad":2,"guid":15,"content":"abc"})", duplicate_field, 10);
  expect(R"({"head":01,"guid":15,"content":"abc"})", number_format, 8);
  expect(R"({"head":+1,"guid":15,"content":"abc"})", number_format, 8);
  expect(R"({"head":-,"guid":15,"content":"abc"})", number_format, 9);
  expect(R"({"head":1.0,"guid":15,"content":"abc"})", wrong_type, 8);
  expect(R"({"head":1e2,"guid":15,"content":"abc"})", wrong_type, 8);
  expect(R"({"head":1.,"guid":15,"content":"abc"})", number_format, 10);
  expect(R"({"head":0x1,"guid":15,"content":"abc"})", number_format, 9);
  expect(R"({"head":2147483648,"guid":15,"content":"abc"})", number_out_of_range, 8);
  expect(R"({"head":-2147483649,"guid":15,"content":"abc"})", number_out_of_range, 8);
  expect(R"({"head":99999999999999999999999,"guid":15,"content":"a"})", number_out_of_range, 8);
  expect(R"({"head":null,"guid":15,"content":"abc"})", wrong_type, 8);
  expect(R"({"head":1,"guid":15,"content":5})", wrong_type, 30);
  expect(R"({"head":1,"guid":15,"content":"a\x"})", invalid_escape, 32);
  expect(R"({"head":1,"guid":15,"content":"a\udc00"})", invalid_escape, 32);
  expect(R"({"head":1,"guid":15,"content":"a\ud800\n"})", invalid_escape, 32);
  expect("{\"head\":1,\"guid\":15,\"content\":\"a\xc0\xaf\"}", invalid_utf8, 32);
  expect("{\"head\":1,\"guid\":15,\"content\":\"a\x1f\"}", control_character, 32);
  expect(R"({"head":1,"guid":15,"content":"abc",})", syntax, 36);
}

TEST_CASE("json: a NUL does not end a number") {
  const std::string text = std::string(R"({"head":1)") + '\0' + R"(,"guid":15,"content":"a"})";
  expect(text, syntax, 9);
}

TEST_CASE("json: a payload over the limit is refused before it is looked at") {
  JsonCodec codec(Limits{.frame_size = 40, .depth = 32});
  Message message;
  const std::string text = R"({"head":567,"guid":15,"content":"abcdef"})";
  const DecodeError error = codec.decode(exact(text), message);
  CHECK(error == DecodeError{too_large, 40});
  CHECK(!codec.decode(exact(text.substr(0, 37) + "\" }"), message));
}

TEST_CASE("json: every prefix of a message is truncated") {
  const std::string text =
      " {\"content\":\"\u20ac\U0001F600\\ud83d\\ude00\\n\",\"x\":[-1.5e+7,{\"a\":[true,false,null]}"
      "],"
      "\"head\" : -5 , \"guid\":15}";
  Message message;
  REQUIRE(!decode_by_all(text, message));
  for (std::size_t size = 0; size < text.size(); ++size) {
    expect(text.substr(0, size), truncated, size);
  }
}

TEST_CASE("json: every change of one byte is judged alike by all readers") {
  Message message;
  const std::string text = R"({"head":-567,"guid":15,"content":"a\nb","x":[1.5,{"y":null}]})";
  const std::string escaped =
      R"({"head":-567,"guid":15,"content":"behind a block of 16: \ud83d\ude00\u00e9\t, at the end \""})";
  for (const std::string& original : {std::string(kPlainJson), text, escaped}) {
    for (std::size_t at = 0; at < original.size(); ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string changed = original;
        changed[at] = char(byte);
        (void)decode_by_all(changed, message);
      }
    }
  }
}

TEST_CASE("json: random messages are exchanged with a strict parser") {
  const JsonCodec codec;
  std::mt19937 random(7);
  const std::vector<std::string> pieces = {"a",
                                           "\"",
                                           "\\",
                                           "/",
                                           std::string(1, '\0'),
                                           "\x1f",
                                           "\x7f",
                                           "\n",
                                           "\u00e9",
                                           "\u20ac",
                                           "\U0001F600",
                                           "\uFFFF",
                                           "plain text of some length, ",
                                           "}",
                                           "{\"head\":"};
  for (int round = 0; round < 3000; ++round) {
    std::string content;
    for (unsigned i = random() % 8; i > 0; --i) content += pieces[random() % pieces.size()];
    const Message message{int(random()) >> random() % 32, int(random()) >> random() % 32, content};
    const auto theirs = nlohmann::json::parse(encode(codec, message));
    CHECK(theirs["head"] == message.head);
    CHECK(theirs["guid"] == message.guid);
    CHECK(theirs["content"] == content);
    Message read;
    for (const bool ascii : {false, true}) {
      CHECK(!decode_by_all(theirs.dump(int(random() % 3) - 1, ' ', ascii), read));
      CHECK(read == message);
    }
  }
}
