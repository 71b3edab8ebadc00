// Every format for pairs, against the generated code where there is some.
#include "wire/pairs.h"

#include <doctest/doctest.h>
#include <pairs.pb.h>
#include <pairs_generated.h>

#include <algorithm>
#include <random>
#include <type_traits>
#include <vector>

#include "codecbench/rivals/flatbuffers_library.h"
#include "codecbench/rivals/protobuf_library.h"
#include "wire/flatbuffers/pairs.h"
#include "wire/protobuf/pairs.h"

using namespace wiremark;
using namespace wiremark::tools;
using namespace wiremark::wire;

namespace {

std::vector<std::byte> encoded(auto& pairs, std::size_t count) {
  const auto values = std::span(kPairValues).first(count);
  std::vector<std::byte> packet(pairs.max_size(values));
  packet.resize(pairs.encode(values, packet));
  packet.shrink_to_fit();
  REQUIRE((count == 0 || !packet.empty()));
  return packet;
}

}  // namespace

TEST_CASE_TEMPLATE("every key of every number of pairs is taken", P, ProtobufPairs,
                   FlatbuffersPairs, LibprotobufPairs, FlatbuffersLibraryPairs) {
  P pairs{Limits()};
  for (unsigned count = 1; count <= kMaxPairs; ++count) {
    const auto packet = encoded(pairs, count);
    for (unsigned key = 1; key <= kMaxPairs; ++key) {
      for (const bool checked : {false, true}) {
        Value value;
        const DecodeError error = checked ? pairs.take_checked(packet, key, pair_type(key), value)
                                          : pairs.take(packet, key, pair_type(key), value);
        REQUIRE(error.kind ==
                (key <= count ? DecodeErrorKind::none : DecodeErrorKind::missing_field));
        if (!error) REQUIRE(value == pair_value(key));
      }
    }
  }
}

TEST_CASE_TEMPLATE("a value is refused under a type of another kind", P, ProtobufPairs,
                   FlatbuffersPairs, LibprotobufPairs, FlatbuffersLibraryPairs) {
  P pairs{Limits()};
  const auto packet = encoded(pairs, 7);
  Value value;
  CHECK(pairs.take(packet, 1, ValueType::int32, value).kind == DecodeErrorKind::wrong_type);
  CHECK(pairs.take(packet, 6, ValueType::float64, value).kind == DecodeErrorKind::wrong_type);
  CHECK(pairs.take_checked(packet, 2, ValueType::text, value).kind == DecodeErrorKind::wrong_type);
}

TEST_CASE_TEMPLATE("prefixes and single-byte changes are answered without reading outside", P,
                   ProtobufPairs, FlatbuffersPairs) {
  P pairs{Limits()};
  const auto packet = encoded(pairs, 9);
  Value value;
  const auto try_all = [&](const std::vector<std::byte>& bytes) {
    for (unsigned key = 0; key <= 10; ++key) {
      for (unsigned type = 0; type < 7; ++type) {
        REQUIRE(pairs.take(bytes, key, ValueType(type), value).offset <= bytes.size());
        REQUIRE(pairs.take_checked(bytes, key, ValueType(type), value).offset <= bytes.size());
      }
    }
  };
  for (std::size_t at = 0; at < packet.size(); ++at) {
    std::vector<std::byte> prefix(packet.begin(), packet.begin() + std::ptrdiff_t(at));
    try_all(prefix);
    for (unsigned flip = 1; flip < 256; flip += 2) {
      auto changed = packet;
      changed[at] ^= static_cast<std::byte>(flip);
      try_all(changed);
    }
  }
}

TEST_CASE_TEMPLATE("changed packets are accepted as the library accepts them", P, ProtobufPairs,
                   FlatbuffersPairs) {
  using Library = std::conditional_t<std::is_same_v<P, ProtobufPairs>, LibprotobufPairs,
                                     FlatbuffersLibraryPairs>;
  P pairs{Limits()};
  Library library{Limits()};
  std::mt19937 random(29);
  std::size_t accepted = 0;
  for (int i = 0; i < 60'000; ++i) {
    auto packet = encoded(pairs, 1 + random() % kMaxPairs);
    for (std::size_t left = 1 + random() % 2; left > 0; --left) {
      const std::size_t at = random() % packet.size();
      // As it is, by a bit, or to a small number, as offsets and lengths are.
      packet[at] = random() % 2 == 0 ? packet[at] ^ std::byte(1U << random() % 8)
                                     : static_cast<std::byte>(random() % 32);
    }
    if (random() % 8 == 0) packet.resize(random() % packet.size());
    packet.shrink_to_fit();
    const auto key = static_cast<unsigned>(1 + random() % kMaxPairs);
    Value own, theirs;
    const DecodeError error = pairs.take_checked(packet, key, pair_type(key), own);
    const DecodeError answer = library.take_checked(packet, key, pair_type(key), theirs);
    if constexpr (std::is_same_v<P, FlatbuffersPairs>) {
      REQUIRE(!error == !answer);
    } else if (!error) {
      REQUIRE_FALSE(answer);  // It takes more: texts that are no UTF-8, fields of another type.
    }
    if (error) continue;
    ++accepted;
    const auto* real = std::get_if<float>(&own);
    const auto* wide = std::get_if<double>(&own);
    if ((real == nullptr || *real == *real) && (wide == nullptr || *wide == *wide))
      REQUIRE(own == theirs);
  }
  CHECK(accepted > 5'000);
}

TEST_CASE("a number that is passed over has at most 64 bits") {
  ProtobufPairs pairs;
  auto packet = encoded(pairs, kMaxPairs);
  std::size_t tried = 0;
  for (std::size_t at = 10; at < packet.size(); ++at) {
    const auto form = Bytes(packet).subspan(at - 9, 10);
    if (form[9] != std::byte{1} || std::ranges::count(form, std::byte{0xFF}) != 9) continue;
    packet[at] = std::byte{2};
    Value value;
    const DecodeError error = pairs.take_checked(packet, 1, ValueType::text, value);
    REQUIRE(error.kind == DecodeErrorKind::malformed_varint);
    REQUIRE(error.offset == at - 9);
    packet[at] = std::byte{1};
    ++tried;
  }
  CHECK(tried == 18);  // -1 as an int64 and the greatest uint64, nine times each.
}

TEST_CASE("protoc's code reads the pairs, and writes the same bytes") {
  ProtobufPairs pairs{Limits()};
  const auto packet = encoded(pairs, kMaxPairs);
  proto::Pairs library;
  REQUIRE(library.ParseFromArray(packet.data(), static_cast<int>(packet.size())));
  CHECK(library.k1() == "a");
  CHECK(library.k9() == -65);
  CHECK(library.k17() == 128);
  CHECK(library.k32() == -1);
  CHECK(library.k61() == UINT64_MAX);
  CHECK(library.k62() == 0.25F);
  CHECK(library.k63() == 23.0);
  CHECK(library.unknown_fields().empty());
  CHECK(library.SerializeAsString() == as_text(packet));
}

TEST_CASE("a number outside the type asked for is refused") {
  ProtobufPairs pairs{Limits()};
  const Value values[] = {std::int64_t{1} << 40, std::int64_t{-1}};
  std::vector<std::byte> packet(pairs.max_size(values));
  packet.resize(pairs.encode(values, packet));
  Value value;
  CHECK(pairs.take(packet, 1, ValueType::int32, value).kind ==
        DecodeErrorKind::number_out_of_range);
  CHECK(pairs.take(packet, 1, ValueType::uint32, value).kind ==
        DecodeErrorKind::number_out_of_range);
  CHECK(pairs.take(packet, 2, ValueType::uint32, value).kind ==
        DecodeErrorKind::number_out_of_range);
  REQUIRE_FALSE(pairs.take(packet, 2, ValueType::int32, value));
  CHECK(value == Value(std::int32_t{-1}));
}

TEST_CASE("only take_checked looks behind the key") {
  ProtobufPairs pairs{Limits()};
  auto packet = encoded(pairs, 16);
  packet.pop_back();
  Value value;
  CHECK_FALSE(pairs.take(packet, 8, pair_type(8), value));
  CHECK(pairs.take_checked(packet, 8, pair_type(8), value).kind == DecodeErrorKind::truncated);
}

TEST_CASE("flatc's code verifies and reads the pairs for every count") {
  FlatbuffersPairs pairs{Limits()};
  for (unsigned count = 0; count <= kMaxPairs; ++count) {
    const auto packet = encoded(pairs, count);
    const auto* data = reinterpret_cast<const std::uint8_t*>(packet.data());
    flatbuffers::Verifier verifier(data, packet.size());
    REQUIRE(fbs::VerifyPairsBuffer(verifier));
    if (count < kMaxPairs) continue;
    const fbs::Pairs* library = fbs::GetPairs(data);
    CHECK(library->k1()->string_view() == "a");
    CHECK(library->k9() == -65);
    CHECK(library->k17() == 128);
    CHECK(library->k32() == -1);
    CHECK(library->k61() == UINT64_MAX);
    CHECK(library->k62() == 0.25F);
    CHECK(library->k63() == 23.0);
  }
}

TEST_CASE("the codec takes from what flatc's code builds") {
  flatbuffers::FlatBufferBuilder builder;
  const auto text = builder.CreateString("text");
  fbs::PairsBuilder table(builder);
  table.add_k63(23.0);
  table.add_k1(text);
  table.add_k4(-1);
  builder.Finish(table.Finish());
  const Bytes packet = std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize()));
  FlatbuffersPairs pairs{Limits()};
  Value value;
  REQUIRE_FALSE(pairs.take_checked(packet, 1, ValueType::text, value));
  CHECK(value == Value(std::string_view("text")));
  REQUIRE_FALSE(pairs.take_checked(packet, 63, ValueType::float64, value));
  CHECK(value == Value(23.0));
  CHECK(pairs.take(packet, 2, ValueType::int32, value).kind == DecodeErrorKind::missing_field);
}
