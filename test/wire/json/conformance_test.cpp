// RFC 8259 rule by rule: each text as a whole document and as the value of an unknown field.
#include <doctest/doctest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "wire/json/codec.h"
#include "wire/json/texts.h"

using namespace wiremark;
using namespace wiremark::wire;
using namespace wiremark::wire::test;

namespace {

using namespace std::string_literals;

const std::vector<std::string> kGood = {
    // Numbers.
    "0",
    "-0",
    "1",
    "-1",
    "1234567890",
    "0.5",
    "-0.0",
    "1.25e10",
    "1E5",
    "1e+5",
    "1e-5",
    "0e0",
    "0E+1",
    "0.0000001",
    "123e65",
    "-237462374673276894279832749832423479823246327846",
    "1e400",
    "-1e9999",
    "1e-9999",
    "123456789012345678901234567890",
    // Words.
    "true",
    "false",
    "null",
    // Strings.
    R"("")",
    R"(" ")",
    R"("\"\\\/\b\f\n\r\t")",
    R"("\u0000")",
    R"("\u001F\u007f\uFFFF\uabcd")",
    R"("\ud83d\ude00")",
    R"("\uD800\uDC00\uDBFF\uDFFF")",
    R"("\\u0061")",
    R"("\\\"")",
    "\"\x7f\"",
    "\"\u0080\u07ff\u0800\uffff\U00010000\U0010ffff\"",
    "\"\u2028\u2029\ufeff\"",
    R"("/* no */")",
    R"("a string that is longer than one block, and \"escaped\" behind it")",
    // Structures.
    "[]",
    "{}",
    "[ ]",
    "{ }",
    "[[]]",
    "[{}]",
    "[1]",
    "[1,2]",
    "[\"\"]",
    "[null, 1, \"1\", {}]",
    R"({"a":1})",
    R"({"":0})",
    R"({"a":"b","a":"b"})",
    R"({"a":{"a":{"a":[]}}})",
    R"({"\u0000\"":1})",
    R"({"x":[{"id": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}]})",
    "\t[\r\n1 ,\n2\t]\n",
    "{ \"a\"\n:\t1\r, \"b\" : [ ] }",
};

const std::vector<std::string> kBad = {
    // Numbers.
    "00",
    "01",
    "-01",
    "-",
    "--1",
    "+1",
    "++1",
    ".5",
    "-.5",
    "1.",
    "1.e1",
    ".e1",
    "1e",
    "1e+",
    "1E-",
    "1eE2",
    "1.2.3",
    "1e1.5",
    "0x1",
    "0x",
    "1a",
    "1 000",
    "1_000",
    "- 1",
    "-a",
    "NaN",
    "-NaN",
    "nan",
    "Infinity",
    "-Infinity",
    "inf",
    "1+1",
    "0e",
    "0e+",
    "0.e",
    "012",
    "1\0"s,
    "\xef\xbc\x91",
    // Words.
    "tru",
    "truE",
    "True",
    "TRUE",
    "nul",
    "nulll",
    "fals",
    "falsey",
    "true1",
    "undefined",
    "a",
    "*",
    // Strings.
    "\"",
    "\"a",
    "'a'",
    "\"\\\"",
    "\"\\a\"",
    "\"\\'\"",
    "\"\\v\"",
    "\"\\0\"",
    "\"\\x41\"",
    "\"\\U0041\"",
    "\"\\u\"",
    "\"\\u1\"",
    "\"\\u12\"",
    "\"\\u123\"",
    "\"\\u123g\"",
    "\"\\u 123\"",
    "\"\\u-123\"",
    "\"\\ud800\"",
    "\"\\udc00\"",
    "\"\\ud800\\ud800\"",
    "\"\\ud800\\n\"",
    "\"\\ud800a\"",
    "\"\\ud800\\u0061\"",
    "\"\\udc00\\ud800\"",
    "\"\\ud83d\\u\"",
    "\"\\\n\"",
    "\"\\\u20ac\"",
    "\"\x01\"",
    "\"\t\"",
    "\"\n\"",
    "\"\r\"",
    "\"\x1f\"",
    "\"\0\""s,
    "\"\xff\"",
    "\"\x80\"",
    "\"\xc0\x80\"",
    "\"\xc1\xbf\"",
    "\"\xe0\x80\x80\"",
    "\"\xed\xa0\x80\"",
    "\"\xf0\x80\x80\x80\"",
    "\"\xf4\x90\x80\x80\"",
    "\"\xf5\x80\x80\x80\"",
    "\"\xe2\x82\"",
    "\"\xe2\"",
    "\"\xfe\xff\"",
    "\"a\"b",
    "\"a\"\"b\"",
    "\"a\"1",
    "1\"a\"",
    // Structures.
    "[",
    "]",
    "{",
    "}",
    "[1",
    "[1,",
    "[,",
    "[,]",
    "[1,]",
    "[,1]",
    "[1,,2]",
    "[1 2]",
    "[1}",
    "{]",
    "[1:2]",
    "[[]",
    "[]]",
    "[\"a\":1]",
    "[1\n,2",
    "[\"a\" \"b\"]",
    "[{}",
    "[{]",
    "{1:1}",
    "{a:1}",
    "{'a':1}",
    "{\"a\"",
    "{\"a\":",
    "{\"a\":}",
    "{\"a\":1",
    "{\"a\":1,}",
    "{\"a\":1,,\"b\":2}",
    "{,}",
    "{\"a\" 1}",
    "{\"a\"::1}",
    "{\"a\",1}",
    "{\"a\":1 \"b\":2}",
    "{\"a\":1;\"b\":2}",
    "{null:1}",
    "{[]:1}",
    "{\"a\":1]",
    "{\"a\":\"b\"\"c\":1}",
    "{:1}",
    "{\"\\q\":1}",
    "{\"\\ud800\":1}",
    "{\"\xff\":1}",
    "{\"\n\":1}",
    // Around.
    "//\n1",
    "1//",
    "/**/1",
    "1/**/",
    "#1",
    "[1]#",
    "\xef\xbb\xbf[]",
    "\xff\xfe[]",
    "\0"s,
    "[]\0"s,
    "\x0c[]",
    "\x0b[]",
    "\xc2\xa0[]",
    "\xe2\x81\xa0[]",
    "[\x0c]",
    "[1\0]"s,
    "[true\0]"s,
    "[\0]"s,
    "[\"a\"\0]"s,
    "\\u005b]",
    "[\\n]",
    "<null>",
    "[<null>]",
};

bool accepts(std::string_view text) {
  Message message;
  return !decode_by_all(text, message);
}

}  // namespace

TEST_CASE("json conformance: what RFC 8259 allows is allowed in an unknown field") {
  for (const std::string& value : kGood) {
    for (unsigned place = 0; place < 4; ++place) {
      INFO(with_unknown(value, place));
      CHECK(accepts(with_unknown(value, place)));
    }
  }
}

TEST_CASE("json conformance: what RFC 8259 forbids is refused wherever it stands") {
  for (const std::string& value : kBad) {
    INFO(value);
    // Another strict parser agrees that this is not JSON, but it skips a byte order mark and takes
    // a NUL for the end.
    const bool skipped = value.starts_with("\xef\xbb\xbf") || value.ends_with('\0');
    CHECK((skipped || !nlohmann::json::accept(value)));
    for (unsigned place = 0; place < 4; ++place) {
      INFO(with_unknown(value, place));
      CHECK(!accepts(with_unknown(value, place)));
    }
    CHECK(!accepts(value));
    CHECK(!accepts(std::string(kPlainJson) + value));
    CHECK(!accepts(value + std::string(kPlainJson)));
  }
}

TEST_CASE("json conformance: another document than an object is the wrong type") {
  for (const std::string& value : kGood) {
    Message message;
    INFO(value);
    const DecodeError error = decode_by_all(value, message);
    const bool object = value.find_first_not_of("\t {") != value.find_first_not_of("\t ");
    CHECK(error.kind == (object ? DecodeErrorKind::missing_field : DecodeErrorKind::wrong_type));
  }
}

TEST_CASE("json conformance: content follows the same rules for strings") {
  for (const auto* texts : {&kGood, &kBad}) {
    for (const std::string& value : *texts) {
      const bool good = texts == &kGood && value.starts_with('"');
      INFO(value);
      CHECK(accepts(R"({"head":1,"guid":2,"content":)" + value + "}") == good);
      CHECK(accepts(R"({"content":)" + value + R"(,"head":1,"guid":2})") == good);
    }
  }
}

TEST_CASE("json conformance: the depth limit counts the message as the first level") {
  for (const std::array<std::string, 2>& brackets :
       {std::array<std::string, 2>{"[", "]"}, std::array<std::string, 2>{R"({"a":)", "}"}}) {
    for (const unsigned depth : {1U, 30U, 31U, 32U, 2000U, 100'000U}) {
      std::string value;
      for (unsigned i = 0; i < depth; ++i) value += brackets[0];
      const std::string open = value;
      value += "1";
      for (unsigned i = 0; i < depth; ++i) value += brackets[1];
      INFO(depth, brackets[0]);
      CHECK(accepts(with_unknown(value, 3)) == (depth < 32));
      Message message;
      const DecodeError error = decode_by_all(with_unknown(value, 0), message);
      if (depth >= 32) {
        CHECK(error.kind == DecodeErrorKind::depth_exceeded);
        CHECK(error.offset == 5 + 31 * brackets[0].size());
      }
      CHECK(!accepts(open));
      CHECK(!accepts(with_unknown(open, 1)));
    }
  }
}

TEST_CASE("json conformance: a deeper limit is kept as well") {
  JsonCodec codec(Limits{.frame_size = 1 << 20, .depth = 100});
  Message message;
  const auto nested = [](unsigned depth) {
    return with_unknown(std::string(depth, '[') + std::string(depth, ']'), 2);
  };
  CHECK(!codec.decode(exact(nested(99)), message));
  CHECK(codec.decode(exact(nested(100)), message).kind == DecodeErrorKind::depth_exceeded);
}
