// The protobuf codec against the code that protoc makes, in both directions.
#include <doctest/doctest.h>
#include <message.pb.h>

#include <random>
#include <string>
#include <vector>

#include "wire/encoded.h"
#include "wire/protobuf/codec.h"
#include "wire/random_message.h"
#include "wire/utf8.h"
#include "wire/vectors.h"

using namespace wiremark;
using namespace wiremark::wire;

namespace {

// ParseFromArray would print what is missing for every message it refuses.
bool library_reads(Bytes packet, proto::Packet& into) {
  return into.ParsePartialFromArray(packet.data(), static_cast<int>(packet.size())) &&
         into.IsInitialized();
}

// Both read the same, but for what the codec refuses by rules of its own: bad UTF-8, and varints
// whose tenth byte holds more than bit 63.
void check_agreement(ProtobufCodec& codec, Bytes packet) {
  Message message;
  proto::Packet library;
  const DecodeError error = codec.decode(packet, message);
  const bool read = library_reads(packet, library);
  if (!error) {
    REQUIRE(read);
    REQUIRE(message.head == library.head());
    REQUIRE(message.guid == library.guid());
    REQUIRE(message.content == library.content());
  } else if (read) {
    INFO(to_string(error.kind), " at ", error.offset, " of ", test::to_hex(packet));
    const bool own_rule = error.kind == DecodeErrorKind::invalid_utf8 ||
                          error.kind == DecodeErrorKind::malformed_varint;
    REQUIRE(own_rule);
  }
}

}  // namespace

TEST_CASE("protoc's code writes the same bytes as the codec and reads them") {
  ProtobufCodec codec(test::kLimits);
  test::RandomMessage random(11);
  for (int i = 0; i < 3'000; ++i) {
    const Message message = random.next(i % 1'000 == 7 ? 1 << 20 : 400);
    const auto packet = test::encoded(codec, message);
    proto::Packet library;
    library.set_head(message.head);
    library.set_guid(message.guid);
    library.set_content(std::string(message.content));
    REQUIRE(library.SerializeAsString() == as_text(packet));
    Message read;
    const DecodeError error = codec.decode(packet, read);
    if (is_utf8(as_bytes(message.content))) {
      REQUIRE_FALSE(error);
      REQUIRE(read == message);
    } else {
      REQUIRE(error.kind == DecodeErrorKind::invalid_utf8);
    }
  }
}

TEST_CASE("every single-byte change and every prefix is read or refused as by the library") {
  ProtobufCodec codec(test::kLimits);
  const std::string two_byte_length(130, 'x');
  for (const std::string_view text :
       {"", "abc", "a content long enough for the straight path", two_byte_length.c_str()}) {
    for (const std::int32_t head : {567, -1}) {
      const Message message{head, 15, text};
      const auto packet = test::encoded(codec, message);
      for (std::size_t at = 0; at < packet.size(); ++at) {
        check_agreement(codec, std::vector(packet.begin(), packet.begin() + std::ptrdiff_t(at)));
        for (unsigned flip = 1; flip < 256; ++flip) {
          std::vector<std::byte> changed = packet;
          changed[at] ^= static_cast<std::byte>(flip);
          check_agreement(codec, changed);
        }
      }
    }
  }
}

TEST_CASE(
    "numbers and lengths on both sides of every step in size come back as the library reads") {
  ProtobufCodec codec(test::kLimits);
  const std::string text(16'400, 'x');
  std::vector<std::size_t> sizes = {16'382, 16'383, 16'384, 16'385, 16'400};
  for (std::size_t size = 0; size < 200; ++size) sizes.push_back(size);
  for (const std::size_t size : sizes) {
    for (const std::int32_t number : {0, 127, 128, 16'383, 16'384, 2'097'152, INT32_MAX, -1}) {
      for (const Message& message :
           {Message{number, 15, std::string_view(text).substr(0, size)},
            Message{15, number, std::string_view(text).substr(0, size)},
            Message{567, number, std::string_view(text).substr(0, size)}}) {
        auto packet = test::encoded(codec, message);
        Message read;
        REQUIRE_FALSE(codec.decode(packet, read));
        REQUIRE(read == message);
        check_agreement(codec, packet);
        packet.back() ^= std::byte{0x80};
        check_agreement(codec, packet);
        packet.pop_back();
        packet.shrink_to_fit();
        check_agreement(codec, packet);
      }
    }
  }
}

TEST_CASE("random runs of fields, known and unknown, are read or refused as by the library") {
  ProtobufCodec codec(test::kLimits);
  std::mt19937 random(5);
  const std::vector<std::string> fields = {"08b704",
                                           "100f",
                                           "1a03616263",
                                           "1a00",
                                           "08ffffffffffffffffff01",
                                           "2001",
                                           "2a02ffff",
                                           "2d01020304",
                                           "310102030405060708",
                                           "23082a24",
                                           "2b2b2c2c",
                                           "0a0161",
                                           "1801",
                                           "f8ffffff0f01",
                                           "24",
                                           "0d01020304",
                                           "888080800001",
                                           "1a8380808000616263",
                                           "d2a44e0568656c6c6f"};
  for (int i = 0; i < 20'000; ++i) {
    std::string hex;
    for (std::size_t left = random() % 7; left > 0; --left) hex += fields[random() % fields.size()];
    check_agreement(codec, test::from_hex(hex));
  }
}

TEST_CASE("errors point at the byte") {
  ProtobufCodec codec;
  Message message;
  const auto at = [&](std::string_view hex) { return codec.decode(test::from_hex(hex), message); };
  CHECK(at("08b704100f1a04616263ff") == DecodeError{DecodeErrorKind::invalid_utf8, 10});
  CHECK(at("08b7041007") == DecodeError{DecodeErrorKind::missing_field, 5});
  CHECK(at("08b7040f") == DecodeError{DecodeErrorKind::invalid_tag, 3});
  CHECK(at("08b70400") == DecodeError{DecodeErrorKind::invalid_tag, 3});
  CHECK(at("") == DecodeError{DecodeErrorKind::missing_field, 0});
  CHECK(at("10ffffffffffffffffff02") == DecodeError{DecodeErrorKind::malformed_varint, 1});
}

TEST_CASE("groups nest as deep as the limit and no deeper") {
  for (const unsigned depth : {1U, 32U, 64U}) {
    ProtobufCodec codec(Limits{.depth = depth});
    Message message;
    const auto nested = [](unsigned count) {
      std::string hex;
      for (unsigned i = 0; i < count; ++i) hex += "23";
      for (unsigned i = 0; i < count; ++i) hex += "24";
      return test::from_hex(hex + "08b704100f1a03616263");
    };
    CHECK_FALSE(codec.decode(nested(depth), message));
    CHECK(codec.decode(nested(depth + 1), message).kind == DecodeErrorKind::depth_exceeded);
  }
}
