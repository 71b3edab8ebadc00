// The message in Y3, both dialects: bytes, round trips, and every way to break a packet.
#include "wire/y3/codec.h"

#include <doctest/doctest.h>

#include <limits>
#include <random>
#include <string>
#include <vector>

#include "wire/encoded.h"
#include "wire/vectors.h"
#include "wire/y3/packet.h"

using namespace wiremark;
using namespace wiremark::wire;
using namespace wiremark::wire::test;
using y3::Dialect;

namespace {

// A vector whose heap block ends with its last byte, so that ASan sees any read beyond it.
std::vector<std::byte> exact(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

// The same message by way of the general writer.
template <Dialect D>
std::vector<std::byte> written(const Message& message) {
  std::vector<std::byte> bytes(message.content.size() + 64);
  y3::Writer writer(bytes);
  const auto root = writer.open(y3::node_tag(1));
  writer.integer<D>(1, message.head);
  writer.integer<D>(2, message.guid);
  writer.text(3, message.content);
  writer.close(root);
  bytes.resize(writer.size());
  return bytes;
}

// A message as the general reader sees it; none where the packet is broken in any way.
template <Dialect D>
bool reads_as(Bytes packet, Message& into) {
  y3::Packet root;
  if (y3::check_whole(packet, {}) || y3::Reader(packet).next(root)) return false;
  unsigned seen[4] = {};
  y3::Reader fields = y3::Reader::children(packet, root);
  while (!fields.done()) {
    y3::Packet field;
    if (fields.next(field)) return false;
    const unsigned id = field.tag.id();
    if (id < 1 || id > 3) continue;
    if (field.tag.is_node() || ++seen[id] > 1) return false;
    if (id == 3) into.content = as_text(field.value);
    if (id == 3) continue;
    if (y3::get_int<D>(field.value, id == 1 ? into.head : into.guid) != DecodeErrorKind::none) {
      return false;
    }
  }
  return root.tag == y3::node_tag(1) && seen[1] == 1 && seen[2] == 1 && seen[3] == 1;
}

// Both decoders take it and agree, or both refuse it.
template <Dialect D>
void compare(Bytes packet) {
  const std::vector<std::byte> copy = exact(packet);
  Message ours;
  Message general;
  const bool ok = !BasicY3Codec<D>().decode(copy, ours);
  REQUIRE(ok == reads_as<D>(copy, general));
  if (ok) REQUIRE(ours == general);
}

template <Dialect D>
void compare_mutations(const Message& message) {
  const std::vector<std::byte> packet = encoded(BasicY3Codec<D>(), message);
  for (std::size_t size = 0; size < packet.size(); ++size) {
    const std::vector<std::byte> prefix = exact(Bytes(packet).first(size));
    Message ignored;
    REQUIRE(BasicY3Codec<D>().decode(prefix, ignored).kind == DecodeErrorKind::truncated);
  }
  for (std::size_t at = 0; at < packet.size(); ++at) {
    for (unsigned value = 0; value < 256; ++value) {
      std::vector<std::byte> mutated = packet;
      mutated[at] = std::byte(value);
      compare<D>(mutated);
    }
  }
}

template <Dialect D>
void round_trip_random() {
  std::mt19937_64 random(7);
  const std::string text(20'000, 'x');
  for (int i = 0; i < 20'000; ++i) {
    // Every size of number and of text comes up, not only the greatest.
    const auto number = [&] {
      const auto bits = random() % 33;
      const auto value = static_cast<std::uint32_t>(random() & ((std::uint64_t{1} << bits) - 1));
      return static_cast<std::int32_t>(random() % 2 == 0 ? value : ~value);
    };
    const std::size_t size = random() % (std::size_t{1} << random() % 15);
    const Message message{number(), number(), std::string_view(text).substr(0, size)};
    const std::vector<std::byte> packet = encoded(BasicY3Codec<D>(), message);
    REQUIRE(packet == written<D>(message));
    Message back;
    REQUIRE_FALSE(BasicY3Codec<D>().decode(packet, back));
    REQUIRE(back == message);
  }
}

template <Dialect D>
void round_trip_small() {
  // Past the edges of one, two and three bytes in both dialects.
  for (std::int32_t number = -40'000; number <= 40'000; ++number) {
    const Message message{number, -number, "long enough to be read the fast way"};
    const std::vector<std::byte> packet = encoded(BasicY3Codec<D>(), message);
    REQUIRE(packet == written<D>(message));
    Message back;
    REQUIRE_FALSE(BasicY3Codec<D>().decode(packet, back));
    REQUIRE(back == message);
  }
}

DecodeErrorKind kind_of(std::string_view hex) {
  Message message;
  return Y3Codec().decode(from_hex(hex), message).kind;
}

}  // namespace

TEST_CASE("every y3 packet of malformed.json gets the answer it names") {
  for (const Vector& vector : malformed_packets("y3")) {
    CAPTURE(vector.name);
    Message message;
    const DecodeError error = Y3Codec().decode(vector.packet, message);
    CHECK((error ? to_string(error.kind) : "ok") == vector.expected);
    if (!error) CHECK(message == Message{567, 15, "abc"});
  }
}

TEST_CASE("the message has these bytes in each dialect") {
  const Message message{567, 15, "abc"};
  CHECK(to_hex(encoded(Y3Codec(), message)) == "810c0102843702010f0303616263");
  CHECK(to_hex(encoded(Y3NvarCodec(), message)) == "810c0102023702010f0303616263");
}

TEST_CASE("messages of every size come back, and are what the general writer writes") {
  round_trip_random<Dialect::draft01>();
  round_trip_random<Dialect::y3>();
  round_trip_small<Dialect::draft01>();
  round_trip_small<Dialect::y3>();
}

TEST_CASE("the ends of int32 come back and one beyond is out of range") {
  const auto least = std::numeric_limits<std::int32_t>::min();
  const auto greatest = std::numeric_limits<std::int32_t>::max();
  const Message message{least, greatest, "a text that is long enough to be read the fast way"};
  Message back;
  const auto draft01 = encoded(Y3Codec(), message);
  REQUIRE_FALSE(Y3Codec().decode(draft01, back));
  CHECK(back == message);
  const auto nvar = encoded(Y3NvarCodec(), message);
  REQUIRE_FALSE(Y3NvarCodec().decode(nvar, back));
  CHECK(back == message);
  CHECK(kind_of("810f 0105 8880808000 02010f 0303616263") == DecodeErrorKind::number_out_of_range);
  CHECK(kind_of("810f 0105 f7ffffff7f 02010f 0303616263") == DecodeErrorKind::number_out_of_range);
}

TEST_CASE("no room is no message") {
  const Message message{1, 2, "abc"};
  std::vector<std::byte> room(Y3Codec().max_size(message) - 1);
  CHECK(Y3Codec().encode(message, room) == 0);
}

TEST_CASE("fields come in any order, with others among them") {
  for (const std::string hex :
       {"810c 0303616263 02010f 01028437", "8111 0102 8437 02010f 04 0161 0303616263 05 00",
        "8114 010284 37 a1 03 0101 61 02010f 04 0161 0303616263",
        "818080 0c 0102843702010f0303616263"}) {
    CAPTURE(hex);
    const auto packet = from_hex(hex);
    Message message;
    CHECK_FALSE(Y3Codec().decode(packet, message));
    CHECK(message == Message{567, 15, "abc"});
  }
}

TEST_CASE("what a message must not hold is refused by name") {
  CHECK(kind_of("") == DecodeErrorKind::truncated);
  CHECK(kind_of("820c0102843702010f0303616263") == DecodeErrorKind::invalid_tag);
  CHECK(kind_of("010c0102843702010f0303616263") == DecodeErrorKind::invalid_tag);
  CHECK(kind_of("810c4102843702010f0303616263") == DecodeErrorKind::invalid_tag);
  CHECK(kind_of("810c8102843702010f0303616263") == DecodeErrorKind::wrong_type);
  CHECK(kind_of("810c0102843702010f8303616263") == DecodeErrorKind::wrong_type);
  CHECK(kind_of("810f0102843702010f02010f0303616263") == DecodeErrorKind::duplicate_field);
  CHECK(kind_of("817f") == DecodeErrorKind::negative_length);
  CHECK(kind_of("810c0102843702010f0304616263") == DecodeErrorKind::truncated);
  CHECK(kind_of("810e0102843702010f0303616263a2020161") == DecodeErrorKind::truncated);
}

TEST_CASE("limits are parameters") {
  const Message message{1, 2, std::string_view("abcdefghijklmnopqrstuvwxyz0123456789")};
  const auto packet = encoded(Y3Codec(), message);
  Message back;
  CHECK_FALSE(Y3Codec({.frame_size = packet.size()}).decode(packet, back));
  CHECK(Y3Codec({.frame_size = packet.size() - 1}).decode(packet, back).kind ==
        DecodeErrorKind::too_large);
  // Node 1 with unknown nodes below: it counts, so two of them make three levels.
  const auto deep = from_hex("8110 84 02 84 00 0102843702010f0303616263");
  CHECK_FALSE(Y3Codec({.depth = 3}).decode(deep, back));
  CHECK(Y3Codec({.depth = 2}).decode(deep, back).kind == DecodeErrorKind::depth_exceeded);
  CHECK(Y3Codec({.depth = 1}).decode(deep, back).kind == DecodeErrorKind::depth_exceeded);
}

TEST_CASE("a bomb of nodes is refused at the limit") {
  std::vector<std::byte> bytes(500'000);
  y3::Writer writer(bytes);
  std::vector<std::size_t> opened = {writer.open(y3::node_tag(1))};
  for (int i = 0; i < 20'000; ++i) opened.push_back(writer.open(y3::node_tag(9)));
  for (; !opened.empty(); opened.pop_back()) writer.close(opened.back());
  bytes.resize(writer.size());
  Message message;
  CHECK(Y3Codec().decode(bytes, message).kind == DecodeErrorKind::depth_exceeded);
}

TEST_CASE("every prefix and every byte changed is refused or means what the general reader reads") {
  const std::string text(70, 'a');
  for (const Message& message :
       {Message{567, 15, "abc"}, Message{567, 15, text}, Message{-8193, 1'048'576, text},
        Message{-1, -65, text},
        Message{64, -2'147'483'648, std::string_view(text).substr(0, 30)}}) {
    compare_mutations<Dialect::draft01>(message);
    compare_mutations<Dialect::y3>(message);
  }
}
