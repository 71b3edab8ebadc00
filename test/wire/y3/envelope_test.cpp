// Envelopes in Y3: bytes, round trips, and every way to break them.
#include "wire/y3/envelope.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "wire/vectors.h"

using namespace wiremark;
using namespace wiremark::wire;
using namespace wiremark::wire::test;

namespace {

template <class E>
std::vector<std::byte> nest(const E& codec, const Envelope& envelope) {
  std::vector<std::byte> bytes(codec.max_size(envelope));
  bytes.resize(codec.encode_nest(envelope, bytes));
  bytes.shrink_to_fit();
  return bytes;
}

template <class E>
std::vector<std::byte> union_of(const E& codec, const Envelope& envelope) {
  std::vector<std::byte> bytes(codec.max_size(envelope));
  bytes.resize(codec.encode_union(envelope, bytes));
  bytes.shrink_to_fit();
  return bytes;
}

template <class E>
void round_trip() {
  const E codec;
  for (const std::size_t size : {0, 1, 20, 55, 56, 63, 64, 100, 500, 1000, 5000, 8191, 70'000}) {
    const std::string text(size, 'e');
    for (const std::int32_t type : {1, 63, 64, 100}) {
      const Envelope envelope{type, as_bytes(text)};
      const auto nested = nest(codec, envelope);
      const auto united = union_of(codec, envelope);
      Envelope back;
      REQUIRE_FALSE(codec.decode_nest(nested, back));
      CHECK((back.type == type && as_text(back.body) == text));
      REQUIRE_FALSE(codec.decode_union(united, back));
      CHECK((back.type == type && as_text(back.body) == text));
      std::int32_t routed = 0;
      Bytes inner;
      REQUIRE_FALSE(codec.route(nested, routed, inner));
      CHECK(routed == type);
      CHECK(inner.size() > size);
    }
  }
}

DecodeErrorKind nest_kind(std::string_view hex) {
  Envelope envelope;
  return Y3Envelope().decode_nest(from_hex(hex), envelope).kind;
}

DecodeErrorKind union_kind(std::string_view hex) {
  Envelope envelope;
  return Y3Envelope().decode_union(from_hex(hex), envelope).kind;
}

}  // namespace

TEST_CASE("y3 envelopes come back in both dialects") {
  round_trip<Y3Envelope>();
  round_trip<Y3NvarEnvelope>();
}

TEST_CASE("y3 envelopes have these bytes") {
  const Envelope envelope{100, as_bytes("abc")};
  CHECK(to_hex(nest(Y3Envelope(), envelope)) == "810d01028064020781050103616263");
  CHECK(to_hex(union_of(Y3Envelope(), envelope)) == "810f010280648209010280640203616263");
  CHECK(to_hex(nest(Y3NvarEnvelope(), envelope)) == "810c010164020781050103616263");
}

TEST_CASE("broken y3 envelopes are refused by name") {
  CHECK(nest_kind("") == DecodeErrorKind::truncated);
  CHECK(nest_kind("810c010100020781050103616263") == DecodeErrorKind::number_out_of_range);
  CHECK(nest_kind("810d01028065020781050103616263") == DecodeErrorKind::number_out_of_range);
  CHECK(nest_kind("8103010101") == DecodeErrorKind::missing_field);
  CHECK(nest_kind("8107010101 02 02 81 00") == DecodeErrorKind::missing_field);
  CHECK(nest_kind("8107010101 02 02 82 00") == DecodeErrorKind::invalid_tag);
  CHECK(nest_kind("810c010101 82 0781050103616263") == DecodeErrorKind::wrong_type);
  CHECK(nest_kind("810f010101010101 020781050103616263") == DecodeErrorKind::duplicate_field);
  CHECK(nest_kind("810c01010102078105010361626300") == DecodeErrorKind::trailing_data);
  CHECK(nest_kind("810c010101020781040103616263") == DecodeErrorKind::truncated);
  CHECK(union_kind("810d010107 8208010107 0203616263") == DecodeErrorKind::none);
  CHECK(union_kind("810d010107 8208010108 0203616263") == DecodeErrorKind::missing_field);
  CHECK(union_kind("8103010107") == DecodeErrorKind::missing_field);
}

TEST_CASE("y3 envelopes cut or changed anywhere are read without a byte outside") {
  const Envelope envelope{64, as_bytes("a body of some bytes")};
  const Y3Envelope codec;
  for (const auto& packet : {nest(codec, envelope), union_of(codec, envelope)}) {
    for (std::size_t size = 0; size < packet.size(); ++size) {
      const std::vector<std::byte> prefix(packet.begin(), packet.begin() + std::ptrdiff_t(size));
      Envelope back;
      REQUIRE(codec.decode_nest(prefix, back));
      REQUIRE(codec.decode_union(prefix, back));
    }
    for (std::size_t at = 0; at < packet.size(); ++at) {
      for (unsigned value = 0; value < 256; ++value) {
        auto mutated = packet;
        mutated[at] = std::byte(value);
        for (const bool united : {false, true}) {
          Envelope back;
          const auto error =
              united ? codec.decode_union(mutated, back) : codec.decode_nest(mutated, back);
          REQUIRE(error.offset <= mutated.size());
          if (error) continue;
          const bool inside =
              back.body.data() >= mutated.data() &&
              back.body.data() + back.body.size() <= mutated.data() + mutated.size();
          REQUIRE(inside);
        }
      }
    }
  }
}
