// Broken packets beyond those of data/malformed.json: the error that each must give, and where.
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "wire/codecs.h"
#include "wire/vectors.h"

using namespace wiremark;
using namespace wiremark::wire;

namespace {

struct Broken {
  std::string_view what;
  std::string_view packet;
  std::string_view kind;
  std::size_t offset;
};

void check(std::string_view format, const std::vector<Broken>& cases, auto&& bytes_of) {
  for (const Broken& broken : cases) {
    CAPTURE(broken.what);
    std::vector<std::byte> packet = bytes_of(broken.packet);
    packet.shrink_to_fit();  // ASan sees a read beyond.
    Message message;
    DecodeError error;
    REQUIRE(with_codec(format, Limits(), [&](auto& codec) {
              error = codec.decode(packet, message);
            }).has_value());
    CHECK(to_string(error.kind) == broken.kind);
    CHECK(error.offset == broken.offset);
  }
}

std::vector<std::byte> text_bytes(std::string_view text) {
  const Bytes bytes = as_bytes(text);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

TEST_CASE("bytes: lengths, tags and offsets that lie") {
  check("bytes",
        {
            {"nothing", "", "truncated", 0},
            {"a length of 2^32 - 1", "ffffffff370200000f000000616263", "too_large", 0},
            {"a length one too long", "04000000370200000f000000616263", "truncated", 15},
            {"a length one too short", "02000000370200000f000000616263", "trailing_data", 14},
        },
        test::from_hex);
}

TEST_CASE("protobuf: lengths, tags and offsets that lie") {
  check("protobuf",
        {
            {"a field of number 0", "000108b704100f1a0161", "invalid_tag", 0},
            {"a text of number 0", "08b704100f1a0161020161", "invalid_tag", 8},
            {"wire type 6", "0e08b704100f1a0161", "invalid_tag", 0},
            {"a group that ends and never began", "08b704100f1a01610c", "invalid_tag", 8},
            {"a group ended by another's number", "08b704100f1a0161232c", "invalid_tag", 9},
            {"a group without an end", "08b704100f1a016123", "truncated", 9},
            {"a text in a group past the end", "232a0561240100", "truncated", 7},
            {"a tag of six bytes", "88808080800001100f1a0161", "invalid_tag", 0},
            {"a length of six bytes", "08b704100f1a81808080800061", "malformed_varint", 6},
            {"a length over 1 MiB by one", "08b704100f1a818040616263", "too_large", 6},
            {"a length of 2^31", "08b704100f1a8080808008616263", "too_large", 6},
            {"a length of 2^32 - 1", "08b704100f1affffffff0f616263", "too_large", 6},
            {"a length of -1", "08b704100f1affffffffffffffffff01616263", "too_large", 6},
            {"a length that would wrap an address", "08b704100f1af0ffffffffffffffff01616263",
             "too_large", 6},
            {"a varint with two bits in its tenth byte", "08ffffffffffffffffff02100f1a0161",
             "malformed_varint", 1},
            {"a varint cut before its tenth byte", "08ffffffffffffffffff", "truncated", 10},
            {"head as fixed32", "0d37020000100f1a0161", "missing_field", 10},
            {"content as a number", "08b704100f1801", "missing_field", 7},
            {"a tag and nothing more", "08b704100f1a", "truncated", 6},
            {"an unknown fixed32 cut", "08b704100f1a016125010203", "truncated", 12},
            {"content with U+0000 in two bytes", "08b704100f1a02c080", "invalid_utf8", 7},
            {"content with a surrogate", "08b704100f1a0461eda080", "invalid_utf8", 8},
            {"content over U+10FFFF", "08b704100f1a04f4908080", "invalid_utf8", 7},
            {"content that ends in a sequence", "08b704100f1a0361e282", "invalid_utf8", 8},
            {"content that starts with a continuation", "08b704100f1a03806162", "invalid_utf8", 7},
            {"content with a NUL", "08b704100f1a03610062", "none", 0},
            {"content with a byte order mark", "08b704100f1a03efbbbf", "none", 0},
        },
        test::from_hex);
}

TEST_CASE("flatbuffers: lengths, tags and offsets that lie") {
  check("flatbuffers",
        {
            {"a root at 0",
             "000000000a001000040008000c0000000c000000370200000f000000040000000300000061626300",
             "bad_offset", 0},
            {"a root 2^31 away",
             "000000800a001000040008000c0000000c000000370200000f000000040000000300000061626300",
             "bad_offset", 0},
            {"a root that would wrap an address",
             "f0ffffff0a001000040008000c0000000c000000370200000f000000040000000300000061626300",
             "bad_offset", 0},
            {"a root behind the end",
             "001000000a001000040008000c0000000c000000370200000f000000040000000300000061626300",
             "bad_offset", 40},
            {"a root in the last bytes",
             "280000000a001000040008000c0000000c000000370200000f000000040000000300000061626300",
             "bad_offset", 40},
            {"a vtable before the buffer",
             "100000000a001000040008000c00000014000000370200000f000000040000000300000061626300",
             "bad_vtable", 16},
            {"a vtable behind the end",
             "100000000a001000040008000c00000000f0ffff370200000f000000040000000300000061626300",
             "bad_vtable", 16},
            {"a vtable 2^31 behind",
             "100000000a001000040008000c00000000000080370200000f000000040000000300000061626300",
             "bad_vtable", 16},
            {"a vtable at an odd place",
             "100000000a001000040008000c0000000b000000370200000f000000040000000300000061626300",
             "unaligned", 5},
            {"a vtable of odd size",
             "100000000b001000040008000c0000000c000000370200000f000000040000000300000061626300",
             "bad_vtable", 4},
            {"a vtable of no size",
             "1000000000001000040008000c0000000c000000370200000f000000040000000300000061626300",
             "missing_field", 16},
            {"head behind the end",
             "100000000a001000fc7f08000c0000000c000000370200000f000000040000000300000061626300",
             "bad_offset", 40},
            {"head at an odd place",
             "100000000a001000050008000c0000000c000000370200000f000000040000000300000061626300",
             "unaligned", 21},
            {"a text at an offset of 0",
             "100000000a001000040008000c0000000c000000370200000f000000000000000300000061626300",
             "bad_offset", 28},
            {"a text that would wrap an address",
             "100000000a001000040008000c0000000c000000370200000f000000fcffffff0300000061626300",
             "bad_offset", 28},
            {"a text at an odd place",
             "100000000a001000040008000c0000000c000000370200000f000000050000000300000061626300",
             "unaligned", 33},
            {"a text of 2^32 - 1 bytes",
             "100000000a001000040008000c0000000c000000370200000f00000004000000ffffffff61626300",
             "too_large", 32},
            {"a text over 1 MiB by one",
             "100000000a001000040008000c0000000c000000370200000f000000040000000100100061626300",
             "too_large", 32},
            {"a text longer than what is left",
             "100000000a001000040008000c0000000c000000370200000f000000040000000500000061626300",
             "truncated", 32},
            {"a text that leaves no room for its terminator",
             "100000000a001000040008000c0000000c000000370200000f000000040000000400000061626300",
             "truncated", 40},
            {"a text cut before its length",
             "100000000a001000040008000c0000000c000000370200000f000000040000000300", "bad_offset",
             32},
        },
        test::from_hex);
}

TEST_CASE("y3: lengths, tags and offsets that lie") {
  check("y3",
        {
            {"nothing", "", "truncated", 0},
            {"a negative length", "817f", "negative_length", 1},
            {"a negative length of two bytes", "81c000", "negative_length", 1},
            {"a negative length of a field", "810c01428437", "truncated", 1},
            {"a negative length inside", "810601420102020f", "negative_length", 3},
            {"a length of int32 max", "8187ffffff7f", "truncated", 1},
            {"a length of 2^31", "818880808000", "too_large", 1},
            {"a length cut in its bytes", "8180", "truncated", 1},
            {"a root that is a primitive", "010c01028437", "invalid_tag", 0},
            {"a root that is a slice", "c10c01028437", "invalid_tag", 0},
            {"a slice of primitives", "81024100", "invalid_tag", 2},
            {"head as a node", "810c8102843702010f0303616263", "wrong_type", 2},
            {"content as a node", "810a01010102010f830101", "truncated", 1},
            {"head twice", "810f0102843701010f02010f0303616263", "duplicate_field", 6},
            {"head over int32", "810f0105888080800002010f0303616263", "number_out_of_range", 4},
            {"guid of six bytes", "81100102843702068080808080010303616263", "malformed_varint", 8},
            {"a field past its node", "81040303616263", "truncated", 3},
        },
        test::from_hex);
}

TEST_CASE("json: numbers, names and escapes that lie") {
  check("json",
        {
            {"head of -0", R"({"head":-0,"guid":15,"content":"a"})", "none", 0},
            {"head of 1e2", R"({"head":1e2,"guid":15,"content":"a"})", "wrong_type", 8},
            {"head of 1e999", R"({"head":1e999,"guid":15,"content":"a"})", "wrong_type", 8},
            {"head of int32 max and one", R"({"head":2147483648,"guid":15,"content":"a"})",
             "number_out_of_range", 8},
            {"head of int32 min less one", R"({"head":-2147483649,"guid":15,"content":"a"})",
             "number_out_of_range", 8},
            {"head of 2^64", R"({"head":18446744073709551616,"guid":15,"content":"a"})",
             "number_out_of_range", 8},
            {"head with a zero in front", R"({"head":0567,"guid":15,"content":"a"})",
             "number_format", 8},
            {"head in hexadecimal", R"({"head":0x10,"guid":15,"content":"a"})", "number_format", 9},
            {"head twice, once escaped", R"({"head":1,"he\u0061d":2,"guid":15,"content":"a"})",
             "duplicate_field", 10},
            {"content of null", R"({"head":1,"guid":15,"content":null})", "wrong_type", 30},
            {"a high surrogate alone", R"({"head":1,"guid":15,"content":"\ud800"})",
             "invalid_escape", 31},
            {"a low surrogate alone", R"({"head":1,"guid":15,"content":"\udc00"})",
             "invalid_escape", 31},
            {"two high surrogates", R"({"head":1,"guid":15,"content":"\ud800\ud800"})",
             "invalid_escape", 31},
            {"a field without a value", R"({"head":,"guid":15,"content":"a"})", "syntax", 8},
            {"a comment", R"({"head":1,/**/"guid":15,"content":"a"})", "syntax", 10},
            {"a byte order mark", "\xEF\xBB\xBF{\"head\":1,\"guid\":15,\"content\":\"a\"}",
             "syntax", 0},
            {"content with U+0000 in two bytes",
             "{\"head\":1,\"guid\":15,\"content\":\"\xC0\x80\"}", "invalid_utf8", 31},
            {"content over U+10FFFF", "{\"head\":1,\"guid\":15,\"content\":\"a\xF4\x90\x80\x80\"}",
             "invalid_utf8", 32},
            {"a name that is not UTF-8", "{\"h\xFF\":1,\"head\":1,\"guid\":15,\"content\":\"a\"}",
             "invalid_utf8", 3},
            {"a NUL behind the object",
             std::string_view("{\"head\":1,\"guid\":15,\"content\":\"a\"}\0", 35), "trailing_data",
             34},
        },
        text_bytes);
}
