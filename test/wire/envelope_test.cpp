// Every format for envelopes, against the generated code where there is some.
#include "wire/envelope.h"

#include <doctest/doctest.h>
#include <envelope.pb.h>
#include <envelope_generated.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "codecbench/rivals/flatbuffers_library.h"
#include "codecbench/rivals/protobuf_library.h"
#include "wire/encoded.h"
#include "wire/flatbuffers/envelope.h"
#include "wire/protobuf/envelope.h"

using namespace wiremark;
using namespace wiremark::tools;
using namespace wiremark::wire;

namespace {

enum class Layout { nest, one_of };

std::vector<std::byte> encoded(auto& codec, Layout layout, const Envelope& envelope) {
  std::vector<std::byte> packet(codec.max_size(envelope));
  packet.resize(layout == Layout::nest ? codec.encode_nest(envelope, packet)
                                       : codec.encode_union(envelope, packet));
  packet.shrink_to_fit();
  REQUIRE_FALSE(packet.empty());
  return packet;
}

DecodeError decode(auto& codec, Layout layout, Bytes packet, Envelope& envelope) {
  return layout == Layout::nest ? codec.decode_nest(packet, envelope)
                                : codec.decode_union(packet, envelope);
}

std::string body_of(std::size_t size) {
  std::string body;
  while (body.size() < size) body += static_cast<char>(body.size() * 7);
  return body;
}

}  // namespace

TEST_CASE_TEMPLATE("both layouts come back for every type and size", E, ProtobufEnvelope,
                   FlatbuffersEnvelope, LibprotobufEnvelope, FlatbuffersLibraryEnvelope) {
  E codec{test::kLimits};
  for (const std::size_t size : {0, 1, 2, 3, 20, 100, 127, 128, 500, 1'000, 5'000, 1 << 20}) {
    const std::string body = body_of(size);
    for (std::int32_t type = 1; type <= kMaxEnvelopeType; type += size > 5'000 ? 33 : 1) {
      for (const Layout layout : {Layout::nest, Layout::one_of}) {
        const auto packet = encoded(codec, layout, {type, as_bytes(body)});
        Envelope read;
        REQUIRE_FALSE(decode(codec, layout, packet, read));
        REQUIRE(read.type == type);
        REQUIRE(as_text(read.body) == body);
      }
    }
  }
}

TEST_CASE_TEMPLATE("a route reads the type and lends the payload", E, ProtobufEnvelope,
                   FlatbuffersEnvelope, LibprotobufEnvelope, FlatbuffersLibraryEnvelope) {
  E codec{test::kLimits};
  const std::string body = body_of(100);
  const auto packet = encoded(codec, Layout::nest, {42, as_bytes(body)});
  std::int32_t type = 0;
  Bytes inner;
  REQUIRE_FALSE(codec.route(packet, type, inner));
  CHECK(type == 42);
  CHECK(inner.size() > body.size());
  CHECK(as_text(inner).find(body) != std::string_view::npos);
}

TEST_CASE_TEMPLATE("types outside 1 to 100 have no envelope", E, ProtobufEnvelope,
                   FlatbuffersEnvelope) {
  E codec{test::kLimits};
  std::vector<std::byte> to(1'000);
  for (const std::int32_t type : {0, -1, 101, INT32_MIN}) {
    CHECK(codec.encode_nest({type, {}}, to) == 0);
    CHECK(codec.encode_union({type, {}}, to) == 0);
  }
}

TEST_CASE_TEMPLATE("prefixes and single-byte changes are answered without reading outside", E,
                   ProtobufEnvelope, FlatbuffersEnvelope) {
  E codec{test::kLimits};
  const std::string body = body_of(20);
  for (const Layout layout : {Layout::nest, Layout::one_of}) {
    const auto packet = encoded(codec, layout, {7, as_bytes(body)});
    const auto try_all = [&](const std::vector<std::byte>& bytes) {
      Envelope read;
      std::int32_t type = 0;
      Bytes inner;
      REQUIRE(decode(codec, layout, bytes, read).offset <= bytes.size());
      REQUIRE(codec.route(bytes, type, inner).offset <= bytes.size());
    };
    for (std::size_t at = 0; at < packet.size(); ++at) {
      try_all({packet.begin(), packet.begin() + std::ptrdiff_t(at)});
      for (unsigned flip = 1; flip < 256; ++flip) {
        auto changed = packet;
        changed[at] ^= static_cast<std::byte>(flip);
        try_all(changed);
      }
    }
  }
}

TEST_CASE("protoc's code and the codec write the same bytes and read each other's") {
  ProtobufEnvelope codec{test::kLimits};
  const std::string body = body_of(300);
  const Envelope envelope{3, as_bytes(body)};
  proto::Member member;
  member.set_body(body);
  proto::Nest nest;
  nest.set_type(3);
  nest.set_payload(member.SerializeAsString());
  CHECK(nest.SerializeAsString() == as_text(encoded(codec, Layout::nest, envelope)));
  proto::Union one_of;
  one_of.set_type(3);
  *one_of.mutable_m3() = member;
  CHECK(one_of.SerializeAsString() == as_text(encoded(codec, Layout::one_of, envelope)));
  one_of.set_type(100);
  *one_of.mutable_m100() = member;
  const std::string both = one_of.SerializeAsString();
  Envelope read;
  REQUIRE_FALSE(codec.decode_union(as_bytes(both), read));
  CHECK(read.type == 100);
  CHECK(as_text(read.body) == body);
}

TEST_CASE("protoc's code and a route agree on every prefix and single-byte change") {
  ProtobufEnvelope codec{test::kLimits};
  LibprotobufEnvelope library{test::kLimits};
  for (const std::size_t size : {0, 1, 20, 124, 126, 130}) {
    const std::string body = body_of(size);
    const auto packet = encoded(codec, Layout::nest, {7, as_bytes(body)});
    const auto check = [&](std::vector<std::byte> bytes) {
      bytes.shrink_to_fit();
      std::int32_t type = 0;
      std::int32_t library_type = 0;
      Bytes inner;
      Bytes library_inner;
      const DecodeError error = codec.route(bytes, type, inner);
      if (library.route(bytes, library_type, library_inner)) {
        REQUIRE(error);
      } else if (!error) {
        REQUIRE(type == library_type);
        REQUIRE(as_text(inner) == as_text(library_inner));
      } else {
        REQUIRE(error.kind == DecodeErrorKind::malformed_varint);
      }
    };
    for (std::size_t at = 0; at < packet.size(); ++at) {
      check({packet.begin(), packet.begin() + std::ptrdiff_t(at)});
      for (unsigned flip = 1; flip < 256; ++flip) {
        auto changed = packet;
        changed[at] ^= static_cast<std::byte>(flip);
        check(changed);
      }
    }
  }
}

TEST_CASE(
    "a route takes types of any size, fields in any order, and refuses what is over a limit") {
  ProtobufEnvelope codec{test::kLimits};
  using namespace std::string_view_literals;
  std::int32_t type = 0;
  Bytes inner;
  const auto route = [&](std::string_view packet) {
    return codec.route(as_bytes(packet), type, inner);
  };
  for (const auto& [packet, expected] :
       {std::pair{"\x08\x05\x12\x01x"sv, 5}, std::pair{"\x08\xB7\x04\x12\x01x"sv, 567},
        std::pair{"\x08\x80\x80\x80\x04\x12\x01x"sv, 1 << 23},
        std::pair{"\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01\x12\x01x"sv, -1},
        std::pair{"\x12\x01x\x08\x05"sv, 5}, std::pair{"\x08\x05\x12\x81\x00x"sv, 5},
        std::pair{"\x08\x04\x12\x01y\x08\x05\x12\x01x"sv, 5}}) {
    REQUIRE_FALSE(route(packet));
    CHECK(type == expected);
    CHECK(as_text(inner) == "x");
  }
  CHECK(route("\x08\x05") == DecodeError{DecodeErrorKind::missing_field, 2});
  CHECK(route("\x12\x01x") == DecodeError{DecodeErrorKind::missing_field, 3});
  CHECK(route("\x08\x05\x12\x02x") == DecodeError{DecodeErrorKind::truncated, 5});
  ProtobufEnvelope small{Limits{.frame_size = 4}};
  CHECK(small.route(as_bytes("\x08\x05\x12\x01x"sv), type, inner) ==
        DecodeError{DecodeErrorKind::too_large, 0});
}

TEST_CASE("the type of a protobuf union may stand behind its member, and the last member counts") {
  ProtobufEnvelope codec{test::kLimits};
  using namespace std::string_view_literals;
  // m2 "x", m2 "y", m1 "z", then the type.
  const std::string_view packet = "\x1A\x03\x0A\x01x\x1A\x03\x0A\x01y\x12\x03\x0A\x01z\x08\x02"sv;
  Envelope read;
  REQUIRE_FALSE(codec.decode_union(as_bytes(packet), read));
  CHECK(read.type == 2);
  CHECK(as_text(read.body) == "y");
  const std::string_view absent = "\x12\x03\x0A\x01z\x08\x02"sv;
  CHECK(codec.decode_union(as_bytes(absent), read).kind == DecodeErrorKind::missing_field);
  const std::string_view typeless = "\x12\x03\x0A\x01z"sv;
  CHECK(codec.decode_union(as_bytes(typeless), read).kind == DecodeErrorKind::missing_field);
}

TEST_CASE("flatc's code verifies and reads both layouts") {
  FlatbuffersEnvelope codec{test::kLimits};
  const std::string body = body_of(21);
  for (std::int32_t type = 1; type <= kMaxEnvelopeType; ++type) {
    const auto nest = encoded(codec, Layout::nest, {type, as_bytes(body)});
    const auto* data = reinterpret_cast<const std::uint8_t*>(nest.data());
    flatbuffers::Verifier verifier(data, nest.size());
    REQUIRE(verifier.VerifyBuffer<fbs::Nest>(nullptr));
    const auto* table = flatbuffers::GetRoot<fbs::Nest>(data);
    REQUIRE(table->type() == type);
    flatbuffers::Verifier inner(table->payload()->data(), table->payload()->size());
    REQUIRE(inner.VerifyBuffer<fbs::Member>(nullptr));
    const auto* member = flatbuffers::GetRoot<fbs::Member>(table->payload()->data());
    REQUIRE(std::equal(body.begin(), body.end(), member->body()->begin(), member->body()->end(),
                       [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; }));
    const auto one_of = encoded(codec, Layout::one_of, {type, as_bytes(body)});
    flatbuffers::Verifier union_verifier(reinterpret_cast<const std::uint8_t*>(one_of.data()),
                                         one_of.size());
    REQUIRE(union_verifier.VerifyBuffer<fbs::Union>(nullptr));
  }
}

TEST_CASE("a changed FlatBuffers nest is routed as the verifier has it") {
  FlatbuffersEnvelope codec;
  FlatbuffersLibraryEnvelope library{Limits()};
  const std::string text(21, 'b');
  std::vector<std::byte> packet(codec.max_size({7, as_bytes(text)}));
  packet.resize(codec.encode_nest({7, as_bytes(text)}, packet));
  packet.shrink_to_fit();
  for (std::size_t at = 0; at < packet.size(); ++at) {
    for (unsigned flip = 1; flip < 256; ++flip) {
      auto changed = packet;
      changed[at] ^= static_cast<std::byte>(flip);
      std::int32_t type = 0, their_type = 0;
      Bytes inner, their_inner;
      const DecodeError error = codec.route(changed, type, inner);
      REQUIRE(!error == !library.route(changed, their_type, their_inner));
      if (error) continue;
      REQUIRE(type == their_type);
      REQUIRE(inner.data() == their_inner.data());
      REQUIRE(inner.size() == their_inner.size());
      Envelope read, theirs;
      if (codec.decode_nest(changed, read)) continue;
      REQUIRE_FALSE(library.decode_nest(changed, theirs));
      REQUIRE(as_text(read.body) == as_text(theirs.body));
    }
  }
}

TEST_CASE("the codec reads what flatc's code builds") {
  FlatbuffersEnvelope codec{test::kLimits};
  flatbuffers::FlatBufferBuilder builder;
  const std::vector<std::uint8_t> body = {1, 2, 3};
  const auto member = fbs::CreateMemberDirect(builder, &body);
  fbs::UnionBuilder one_of(builder);
  one_of.add_m77(member);
  one_of.add_type(77);
  builder.Finish(one_of.Finish());
  Envelope read;
  REQUIRE_FALSE(codec.decode_union(
      std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize())), read));
  CHECK(read.type == 77);
  CHECK(std::ranges::equal(read.body, std::as_bytes(std::span(body))));
}
