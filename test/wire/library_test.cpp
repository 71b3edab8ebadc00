// The libraries that codecs are compared with must do the same work.
#include <doctest/doctest.h>

#include <vector>

#include "codecbench/rivals/flatbuffers_library.h"
#include "codecbench/rivals/protobuf_library.h"
#include "wire/flatbuffers/codec.h"
#include "wire/protobuf/codec.h"
#include "wire/random_message.h"
#include "wire/utf8.h"

using namespace wiremark;
using namespace wiremark::tools;
using namespace wiremark::wire;

namespace {

constexpr Limits kLimits{.frame_size = 2 << 20};

std::vector<std::byte> encoded(auto& codec, const Message& message) {
  std::vector<std::byte> packet(codec.max_size(message));
  packet.resize(codec.encode(message, packet));
  REQUIRE_FALSE(packet.empty());
  return packet;
}

// What one writes the other reads.
void check_both_ways(auto& library, auto& own, const Message& message) {
  Message read;
  const auto from_own = encoded(own, message);
  REQUIRE_FALSE(library.decode(from_own, read));
  REQUIRE(read == message);
  const auto from_library = encoded(library, message);
  REQUIRE_FALSE(own.decode(from_library, read));
  REQUIRE(read == message);
  std::vector<std::byte> small(message.content.size());
  REQUIRE(library.encode(message, small) == 0);
  REQUIRE(library.decode(Bytes(from_own).first(2), read));
}

}  // namespace

TEST_CASE_TEMPLATE("libprotobuf and the codec read each other", L, ReusedLibprotobuf,
                   SetLibprotobuf, FreshLibprotobuf, ArenaLibprotobuf) {
  L library{kLimits};
  ProtobufCodec own(kLimits);
  test::RandomMessage random(19);
  for (int i = 0; i < 1'000; ++i) {
    const Message message = random.next(i % 500 == 7 ? 1 << 20 : 400);
    if (is_utf8(as_bytes(message.content))) check_both_ways(library, own, message);
  }
}

TEST_CASE("FlatBuffers and the codec read each other") {
  FlatbuffersLibrary library{kLimits};
  FlatbuffersCodec own(kLimits);
  test::RandomMessage random(23);
  for (int i = 0; i < 1'000; ++i) {
    check_both_ways(library, own, random.next(i % 500 == 7 ? 1 << 20 : 400));
  }
}
