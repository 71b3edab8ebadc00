// The flatbuffers codec against the code that flatc makes, in both directions.
#include <doctest/doctest.h>
#include <message_generated.h>

#include <random>
#include <string>
#include <vector>

#include "wire/encoded.h"
#include "wire/flatbuffers/codec.h"
#include "wire/random_message.h"
#include "wire/vectors.h"

using namespace wiremark;
using namespace wiremark::wire;

namespace {

// The table that the library makes of a packet, or null when its verifier refuses it.
const fbs::Packet* library_reads(Bytes packet) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(packet.data());
  flatbuffers::Verifier verifier(data, packet.size());
  return fbs::VerifyPacketBuffer(verifier) ? fbs::GetPacket(data) : nullptr;
}

void check_agreement(FlatbuffersCodec& codec, const std::vector<std::byte>& packet) {
  Message message;
  const DecodeError error = codec.decode(packet, message);
  const fbs::Packet* library = library_reads(packet);
  INFO(to_string(error.kind), " at ", error.offset, " of ", test::to_hex(packet));
  REQUIRE((library != nullptr) == !error);
  if (error) return;
  REQUIRE(message.head == library->head());
  REQUIRE(message.guid == library->guid());
  REQUIRE(message.content == library->content()->string_view());
}

std::vector<std::byte> built(const Message& message, bool force_defaults, unsigned order) {
  flatbuffers::FlatBufferBuilder builder;
  builder.ForceDefaults(force_defaults);
  const auto content = builder.CreateString(message.content.data(), message.content.size());
  fbs::PacketBuilder packet(builder);
  for (unsigned i = 0; i < 3; ++i) {
    const unsigned field = (i + order) % 3;
    if (field == 0) packet.add_head(message.head);
    if (field == 1) packet.add_guid(message.guid);
    if (field == 2) packet.add_content(content);
  }
  builder.Finish(packet.Finish());
  const Bytes bytes = std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize()));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

TEST_CASE("flatc's code accepts what the codec writes, and the codec what flatc's code writes") {
  FlatbuffersCodec codec(test::kLimits);
  test::RandomMessage random(13);
  for (unsigned i = 0; i < 3'000; ++i) {
    const Message message = random.next(i % 1'000 == 7 ? 1 << 20 : 400);
    check_agreement(codec, test::encoded(codec, message));
    const auto packet = built(message, i % 2 == 0, i % 3);
    check_agreement(codec, packet);
    Message read;
    REQUIRE_FALSE(codec.decode(packet, read));
    REQUIRE(read == message);
  }
}

TEST_CASE("every single-byte change and every prefix is read or refused as by the verifier") {
  FlatbuffersCodec codec(test::kLimits);
  for (const std::string_view text : {"", "abc", "a content of some more bytes"}) {
    const Message message{567, -15, text};
    for (const auto& packet :
         {test::encoded(codec, message), built(message, false, 0), built(message, true, 1)}) {
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

TEST_CASE("random small words in place of offsets are read or refused as by the verifier") {
  FlatbuffersCodec codec(test::kLimits);
  const auto packet = test::encoded(codec, {1, 2, "some content"});
  std::mt19937 random(17);
  for (int i = 0; i < 200'000; ++i) {
    std::vector<std::byte> changed = packet;
    for (std::size_t left = 1 + random() % 3; left > 0; --left) {
      const std::size_t at = random() % (packet.size() - 1);
      store_le(changed.data() + at, static_cast<std::uint16_t>(random() % 64));
    }
    check_agreement(codec, changed);
  }
}

TEST_CASE("an absent number is 0") {
  FlatbuffersCodec codec;
  Message message{1, 2, "x"};
  const auto packet = built({0, 0, "abc"}, false, 0);
  REQUIRE_FALSE(codec.decode(packet, message));
  CHECK(message == Message{0, 0, "abc"});
}
