// What holds for every codec of the list, whatever its format.
#include "wire/codec.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "wire/codecs.h"
#include "wire/encoded.h"
#include "wire/frame.h"
#include "wire/vectors.h"

using namespace wiremark;
using namespace wiremark::wire;

namespace {

template <class Use>
void for_each_codec(Use&& use) {
  for (const std::string_view name : Codecs::kNames) {
    CAPTURE(name);
    REQUIRE(with_codec(name, test::kLimits, [&](auto& codec) { use(codec); }).has_value());
  }
}

// The message of `packet`, which must be one.
Message decoded(auto& codec, Bytes packet) {
  Message message;
  const DecodeError error = codec.decode(packet, message);
  INFO(to_string(error.kind), " at ", error.offset);
  REQUIRE_FALSE(error);
  return message;
}

const std::vector<std::int32_t> kNumbers = {
    0,         1,        -1,   63,    64,    127,      128,           -64,           -65,
    567,       8191,     8192, 16384, 65536, -1 << 20, (1 << 21) - 1, (1 << 28) - 1, 1 << 28,
    INT32_MAX, INT32_MIN};

const std::vector<std::string> kTexts = {"",
                                         "a",
                                         "abc",
                                         "quote \" backslash \\ slash / tab \t line \n bell \a",
                                         std::string("embedded\0zero", 13),
                                         "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80",
                                         std::string(64, 'x'),
                                         std::string(8192, 'y'),
                                         std::string(1 << 20, 'z')};

}  // namespace

TEST_CASE("what was encoded is decoded, at every edge of every number") {
  for_each_codec([](auto& codec) {
    for (const std::string& text : kTexts) {
      for (const std::int32_t head : kNumbers) {
        if (text.size() > 10'000 && head > 1) continue;
        for (const std::int32_t guid : {head, 15, -7}) {
          const Message message{head, guid, text};
          const auto packet = test::encoded(codec, message);
          REQUIRE(decoded(codec, packet) == message);
        }
      }
    }
  });
}

TEST_CASE("contents of every length up to 300 come back") {
  std::string text;
  std::mt19937 random(3);
  for (; text.size() < 300; text += static_cast<char>(' ' + random() % 95)) {
    for_each_codec([&](auto& codec) {
      const Message message{567, 15, text};
      const auto packet = test::encoded(codec, message);
      REQUIRE(decoded(codec, packet) == message);
    });
  }
}

TEST_CASE("a destination shorter than max_size is refused and left alone") {
  for_each_codec([](auto& codec) {
    const Message message{567, 15, "abc"};
    for (std::size_t size = 0; size < codec.max_size(message); ++size) {
      std::vector<std::byte> to(size, std::byte{0x55});
      REQUIRE(codec.encode(message, to) == 0);
      REQUIRE(to == std::vector<std::byte>(size, std::byte{0x55}));
    }
  });
}

TEST_CASE("every packet that must be refused is, with the error named") {
  for_each_codec([](auto& codec) {
    const std::string_view name = codec.kName;
    for (const test::Vector& vector :
         test::malformed_packets(name == "bytes" ? "bytestream" : name)) {
      CAPTURE(vector.name);
      Message message;
      // The vectors were made for the default limits.
      auto strict = std::remove_reference_t<decltype(codec)>(Limits());
      const DecodeError error = strict.decode(vector.packet, message);
      CAPTURE(to_string(error.kind));
      CAPTURE(vector.expected);
      CHECK(error.offset <= vector.packet.size());
      if (vector.expected.starts_with("ok")) {
        CHECK_FALSE(error);
      } else {
        CHECK(vector.expected.find(to_string(error.kind)) != std::string::npos);
      }
    }
  });
}

TEST_CASE("prefixes and single-byte changes are answered without reading outside") {
  for_each_codec([](auto& codec) {
    for (const std::string_view text : {"", "abc", "a content that is long enough for all paths"}) {
      const auto packet = test::encoded(codec, {567, -15, text});
      Message message;
      for (std::size_t size = 0; size < packet.size(); ++size) {
        std::vector<std::byte> prefix(packet.begin(),
                                      packet.begin() + static_cast<std::ptrdiff_t>(size));
        prefix.shrink_to_fit();
        const DecodeError error = codec.decode(prefix, message);
        // A flatbuffer may lose its last padding, which holds nothing.
        if (codec.kName != "flatbuffers") REQUIRE(error);
        REQUIRE(error.offset <= size);
      }
      for (std::size_t at = 0; at < packet.size(); ++at) {
        for (unsigned flip = 1; flip < 256; ++flip) {
          auto changed = packet;
          changed[at] ^= static_cast<std::byte>(flip);
          const DecodeError error = codec.decode(changed, message);
          REQUIRE(error.offset <= packet.size());
          // Whatever was accepted borrows the packet and nothing else.
          if (!error) REQUIRE(std::string(message.content).size() <= packet.size());
        }
      }
    }
  });
}

TEST_CASE("a frame over the limit is refused by the codec as well") {
  for_each_codec([](auto& codec) {
    const std::string text(1000, 'x');
    const auto packet = test::encoded(codec, {1, 2, text});
    auto strict = std::remove_reference_t<decltype(codec)>(Limits{.frame_size = 999});
    Message message;
    CHECK(strict.decode(packet, message).kind == DecodeErrorKind::too_large);
  });
}

TEST_CASE("codecs are found by name") {
  CHECK_FALSE(with_codec("morse", test::kLimits, [](auto&) {}).has_value());
  const auto name =
      with_codec("bytes", test::kLimits, [](auto& codec) { return std::string(codec.kName); });
  CHECK(name == "bytes");
}
