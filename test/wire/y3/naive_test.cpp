// The codecs of Y3 against a reader that was written from the specification alone, byte by byte.
#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "wire/encoded.h"
#include "wire/rounds.h"
#include "wire/y3/codec.h"
#include "wire/y3/pairs.h"
#include "wire/y3/varint.h"

using namespace wiremark;
using namespace wiremark::wire;
using y3::Dialect;

namespace {

using Octets = std::vector<unsigned>;
__extension__ typedef __int128 Wide;

/// One packet: its tag, its value, and for a node the packets in it.
struct Naive {
  unsigned tag = 0;
  Octets value;
  std::vector<Naive> children;
};

/// Groups of 7 bits, 0x80 = more follow, bit 6 of the first byte is the sign.
std::optional<Wide> groups_of_seven(const Octets& octets) {
  Wide value = (octets[0] & 0x40) != 0 ? -1 : 0;
  for (std::size_t i = 0; i < octets.size(); ++i) {
    if (((octets[i] & 0x80) != 0) != (i + 1 < octets.size())) return std::nullopt;
    value = value * 128 + octets[i] % 128;
  }
  return value;
}

/// Big-endian two's complement.
std::optional<Wide> complement(const Octets& octets) {
  Wide value = octets[0] >= 0x80 ? -1 : 0;
  for (const unsigned octet : octets) value = value * 256 + octet;
  return value;
}

/// The number in `octets`, of at most 32 or 64 bits; nothing where it is none or does not fit.
std::optional<std::int64_t> number(Dialect dialect, const Octets& octets, unsigned bits) {
  if (octets.empty() || octets.size() > (bits == 32 ? 5 : 10)) return std::nullopt;
  const auto value = dialect == Dialect::draft01 ? groups_of_seven(octets) : complement(octets);
  const Wide limit = Wide{1} << (bits - 1);
  if (!value || *value < -limit || *value >= limit) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

/// Reads all packets in `octets`, down to a depth of 32; false where one is malformed.
bool read_all(const Octets& octets, unsigned depth, std::vector<Naive>& into) {
  std::size_t at = 0;
  while (at < octets.size()) {
    Naive packet{octets[at++], {}, {}};
    if ((packet.tag & 0xC0) == 0x40) return false;
    Octets length;
    do {
      if (at == octets.size() || length.size() == 5) return false;
      length.push_back(octets[at++]);
    } while (length.back() >= 0x80);
    const Wide size = *groups_of_seven(length);
    if (size < 0 || size > Wide(octets.size() - at)) return false;
    packet.value.assign(octets.begin() + std::ptrdiff_t(at),
                        octets.begin() + std::ptrdiff_t(at + std::size_t(size)));
    at += static_cast<std::size_t>(size);
    if (packet.tag >= 0x80) {
      if (depth == 0 || !read_all(packet.value, depth - 1, packet.children)) return false;
      for (const Naive& child : packet.children) {
        if (packet.tag >= 0xC0 && child.tag % 64 != 0) return false;
      }
    }
    into.push_back(std::move(packet));
  }
  return true;
}

std::optional<Naive> read_one(Bytes bytes) {
  Octets octets;
  for (const std::byte byte : bytes) octets.push_back(std::to_integer<unsigned>(byte));
  std::vector<Naive> packets;
  if (!read_all(octets, 32, packets) || packets.size() != 1) return std::nullopt;
  return std::move(packets[0]);
}

struct Read {
  std::int32_t head, guid;
  std::string content;
  bool operator==(const Read&) const = default;
};

/// Node 1 with each of 1, 2 and 3 once and as a primitive; others are passed over.
std::optional<Read> naive_message(Dialect dialect, Bytes bytes) {
  const auto root = read_one(bytes);
  if (!root || root->tag != 0x81) return std::nullopt;
  std::map<unsigned, Octets> fields;
  for (const Naive& child : root->children) {
    const unsigned id = child.tag % 64;
    if (id < 1 || id > 3) continue;
    if (child.tag >= 0x80 || !fields.emplace(id, child.value).second) return std::nullopt;
  }
  if (fields.size() != 3) return std::nullopt;
  const auto head = number(dialect, fields[1], 32);
  const auto guid = number(dialect, fields[2], 32);
  if (!head || !guid) return std::nullopt;
  return Read{static_cast<std::int32_t>(*head), static_cast<std::int32_t>(*guid),
              std::string(fields[3].begin(), fields[3].end())};
}

/// The value of the first child `key` of node 0, for the types whose forms are numbers and texts.
std::optional<Value> naive_take(Dialect dialect, const Naive& root, unsigned key, ValueType type,
                                std::string& text) {
  if (root.tag != 0x80) return std::nullopt;
  for (const Naive& child : root.children) {
    if (child.tag % 64 != key) continue;
    if (child.tag >= 0x80) return std::nullopt;
    if (type == ValueType::text) {
      text.assign(child.value.begin(), child.value.end());
      return Value(std::string_view(text));
    }
    const bool narrow = type == ValueType::int32 || type == ValueType::uint32;
    const auto found = number(dialect, child.value, narrow ? 32 : 64);
    if (!found) return std::nullopt;
    if (type == ValueType::int32) return Value(static_cast<std::int32_t>(*found));
    if (type == ValueType::uint32) return Value(static_cast<std::uint32_t>(*found));
    if (type == ValueType::int64) return Value(*found);
    return Value(static_cast<std::uint64_t>(*found));
  }
  return std::nullopt;
}

/// Changes one to four bytes, mostly to what means something in Y3, and may cut the end off.
std::vector<std::byte> mutated(std::vector<std::byte> packet, std::mt19937& random) {
  constexpr unsigned kTelling[] = {0,    1,    2,    3,    4,    0x3F, 0x40, 0x7F,
                                   0x80, 0x81, 0x82, 0x83, 0xBF, 0xC0, 0xC1, 0xFF};
  for (std::size_t changes = 1 + random() % 4; changes > 0 && !packet.empty(); --changes) {
    const std::size_t at = random() % packet.size();
    switch (random() % 6) {
      case 0:
        packet[at] = static_cast<std::byte>(random());
        break;
      case 1:
        packet[at] = static_cast<std::byte>(kTelling[random() % 16]);
        break;
      case 2:
        packet[at] = static_cast<std::byte>(std::to_integer<unsigned>(packet[at]) + random() % 3);
        break;
      case 3:
        packet.erase(packet.begin() + std::ptrdiff_t(at));
        break;
      case 4:
        packet.insert(packet.begin() + std::ptrdiff_t(at),
                      static_cast<std::byte>(kTelling[random() % 16]));
        break;
      default:
        if (random() % 8 == 0) packet.resize(at);
    }
  }
  packet.shrink_to_fit();
  return packet;
}

std::int32_t any_number(std::mt19937& random) {
  const auto bits = static_cast<std::int32_t>(random());
  return bits >> (random() % 32);
}

template <Dialect D>
void check_messages(std::mt19937& random) {
  const BasicY3Codec<D> codec;
  std::size_t accepted = 0;
  for (unsigned i = 0; i < test::rounds(60'000); ++i) {
    const std::string text(random() % 90, 'x');
    const Message message{any_number(random), any_number(random), text};
    auto packet = test::encoded(codec, message);
    // Every fourth packet is as it was written.
    if (i % 4 != 0) packet = mutated(std::move(packet), random);
    const auto expected = naive_message(D, packet);
    Message read;
    const DecodeError error = codec.decode(packet, read);
    REQUIRE(!error == expected.has_value());
    if (error) continue;
    ++accepted;
    REQUIRE(*expected == Read{read.head, read.guid, std::string(read.content)});
  }
  CHECK(accepted > test::rounds(20'000));
}

template <Dialect D>
void check_pairs(std::mt19937& random) {
  std::size_t accepted = 0;
  for (const y3::WalkKind& walk : y3::walk_kinds()) {
    if (!walk.is_supported) continue;
    const BasicY3Pairs<D> pairs({}, walk);
    for (unsigned i = 0; i < test::rounds(15'000); ++i) {
      const auto values = std::span(kPairValues).first(1 + random() % kMaxPairs);
      std::vector<std::byte> packet(pairs.max_size(values));
      packet.resize(pairs.encode(values, packet));
      packet = mutated(std::move(packet), random);
      const auto root = read_one(packet);
      const auto key = static_cast<unsigned>(1 + random() % values.size());
      const auto type = static_cast<ValueType>(random() % 5);  // Text and integers.
      std::string text;
      const auto expected = root ? naive_take(D, *root, key, type, text) : std::nullopt;
      Value value;
      const DecodeError error = pairs.take_checked(packet, key, type, value);
      REQUIRE(!error == expected.has_value());
      if (error) continue;
      ++accepted;
      REQUIRE(value == *expected);
      // What is right as a whole is right up to the key.
      REQUIRE_FALSE(pairs.take(packet, key, type, value));
      REQUIRE(value == *expected);
    }
  }
  CHECK(accepted > test::rounds(1'000));
}

}  // namespace

TEST_CASE("mutated y3 messages mean what a naive reader reads, or are refused by both") {
  std::mt19937 random(101);
  check_messages<Dialect::draft01>(random);
  check_messages<Dialect::y3>(random);
}

TEST_CASE("every walk takes from mutated y3 packets what a naive reader takes") {
  std::mt19937 random(103);
  check_pairs<Dialect::draft01>(random);
  check_pairs<Dialect::y3>(random);
}
