// The libraries that codecs are compared with must do the same work.
#include <doctest/doctest.h>

#include <vector>

#include "codecbench/rivals/flatbuffers_library.h"
#include "codecbench/rivals/protobuf_library.h"
#include "wire/encoded.h"
#include "wire/flatbuffers/codec.h"
#include "wire/protobuf/codec.h"
#include "wire/random_message.h"
#include "wire/utf8.h"
#include "wire/vectors.h"
#if WIREMARK_HAS_UPB
#include "codecbench/rivals/upb_library.h"
#include "wire/protobuf/pairs.h"
#endif

using namespace wiremark;
using namespace wiremark::tools;
using namespace wiremark::wire;

namespace {

// What one writes the other reads.
void check_both_ways(auto& library, auto& own, const Message& message) {
  Message read;
  const auto from_own = test::encoded(own, message);
  REQUIRE_FALSE(library.decode(from_own, read));
  REQUIRE(read == message);
  const auto from_library = test::encoded(library, message);
  REQUIRE_FALSE(own.decode(from_library, read));
  REQUIRE(read == message);
  std::vector<std::byte> small(message.content.size());
  REQUIRE(library.encode(message, small) == 0);
  REQUIRE(library.decode(Bytes(from_own).first(2), read));
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("a protobuf library and the codec read each other", L, protobuf) {
  L library{test::kLimits};
  ProtobufCodec own(test::kLimits);
  test::RandomMessage random(19);
  for (int i = 0; i < 1'000; ++i) {
    const Message message = random.next(i % 500 == 7 ? 1 << 20 : 400);
    if (is_utf8(as_bytes(message.content))) check_both_ways(library, own, message);
  }
}

TEST_CASE_TEMPLATE_INVOKE(protobuf, ReusedLibprotobuf, SetLibprotobuf, FreshLibprotobuf,
                          ArenaLibprotobuf);

#if WIREMARK_HAS_UPB
TEST_CASE_TEMPLATE_INVOKE(protobuf, UpbCodec<UpbText::unchecked>, UpbCodec<UpbText::utf8>);

TEST_CASE("upb writes the bytes that libprotobuf and the codec write") {
  UpbCodec<UpbText::utf8> library;
  ReusedLibprotobuf google;
  ProtobufCodec own;
  test::RandomMessage random(29);
  for (int i = 0; i < 200; ++i) {
    const Message message = random.next(400);
    if (!is_utf8(as_bytes(message.content))) continue;
    const auto bytes = test::encoded(library, message);
    REQUIRE(bytes == test::encoded(own, message));
    REQUIRE(bytes == test::encoded(google, message));
  }
  UpbPairs<UpbText::utf8> library_pairs;
  ProtobufPairs own_pairs{test::kLimits};
  std::vector<std::byte> theirs(library_pairs.max_size(kPairValues));
  std::vector<std::byte> ours(own_pairs.max_size(kPairValues));
  theirs.resize(library_pairs.encode(kPairValues, theirs));
  ours.resize(own_pairs.encode(kPairValues, ours));
  CHECK(theirs == ours);
}

TEST_CASE_TEMPLATE("upb: texts are views into the packet, and the values of E6 are taken", P,
                   UpbPairs<UpbText::unchecked>, UpbPairs<UpbText::utf8>) {
  P pairs;
  std::vector<std::byte> room(pairs.max_size(kPairValues));
  const Bytes packet = Bytes(room).first(pairs.encode(kPairValues, room));
  Value value;
  for (unsigned key = 1; key <= kMaxPairs; ++key) {
    INFO(key);
    REQUIRE_FALSE(pairs.take_checked(packet, key, pair_type(key), value));
    CHECK(value == pair_value(key));
    const auto* const text = std::get_if<std::string_view>(&value);
    if (text == nullptr) continue;
    const auto* const begin = reinterpret_cast<const std::byte*>(text->data());
    CHECK(begin >= packet.data());
    CHECK(begin < packet.data() + packet.size());
  }
  CHECK(pairs.take(packet, 2, ValueType::text, value).kind == DecodeErrorKind::wrong_type);
  CHECK(pairs.take(packet.first(3), 5, pair_type(5), value).kind == DecodeErrorKind::missing_field);
  CHECK(pairs.take(packet.first(packet.size() - 1), 1, pair_type(1), value));
  CHECK(pairs.encode(kPairValues, MutableBytes(room).first(8)) == 0);
  constexpr Value kWrong[] = {Value(std::int32_t{1})};
  CHECK(pairs.encode(kWrong, room) == 0);
}

TEST_CASE("upb refuses what is malformed, and only as utf8 what is no text") {
  UpbCodec<UpbText::unchecked> any;
  UpbCodec<UpbText::utf8> utf8;
  for (const test::Vector& vector : test::malformed_packets("protobuf")) {
    CAPTURE(vector.name);
    Message message;
    const bool good = vector.expected.starts_with("ok");
    CHECK(!utf8.decode(vector.packet, message) == good);
    CHECK(!any.decode(vector.packet, message) ==
          (good || vector.expected.starts_with("invalid_utf8")));
  }
}
#endif

TEST_CASE("FlatBuffers and the codec read each other") {
  FlatbuffersLibrary library{test::kLimits};
  FlatbuffersCodec own(test::kLimits);
  test::RandomMessage random(23);
  for (int i = 0; i < 1'000; ++i) {
    check_both_ways(library, own, random.next(i % 500 == 7 ? 1 << 20 : 400));
  }
}
