// Pairs in Y3: the packets of the stress test, every way to walk, and every way to break a packet.
#include "wire/y3/pairs.h"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "wire/rounds.h"
#include "wire/vectors.h"
#include "wire/y3/packet.h"

using namespace wiremark;
using namespace wiremark::wire;
using namespace wiremark::wire::test;
using y3::Dialect;

namespace {

template <class P>
std::vector<std::byte> packet_of(const P& pairs, std::size_t count) {
  const auto values = std::span(kPairValues).first(count);
  std::vector<std::byte> bytes(pairs.max_size(values));
  bytes.resize(pairs.encode(values, bytes));
  bytes.shrink_to_fit();
  return bytes;
}

std::vector<y3::WalkKind> supported_walks() {
  std::vector<y3::WalkKind> walks;
  for (const auto& kind : y3::walk_kinds()) {
    if (kind.is_supported) {
      walks.push_back(kind);
    } else {
      MESSAGE("skipped: this processor has no " << std::string(kind.name));
    }
  }
  return walks;
}

// What a take answers: the error, or the value as it was encoded.
struct Answer {
  DecodeError error;
  Value value;

  bool operator==(const Answer&) const = default;
};

template <Dialect D>
Answer take(const y3::WalkKind& walk, bool checked, Bytes packet, unsigned key, ValueType type) {
  const BasicY3Pairs<D> pairs({}, walk);
  Answer answer;
  answer.error = checked ? pairs.take_checked(packet, key, type, answer.value)
                         : pairs.take(packet, key, type, answer.value);
  if (answer.error) answer.value = {};
  return answer;
}

// The answer that the general reader gives, which is what every walk must give.
template <Dialect D>
Answer read(bool checked, Bytes packet, unsigned key) {
  Answer answer;
  y3::Packet root;
  if (checked) answer.error = y3::check_whole(packet, {});
  if (!answer.error) answer.error = y3::Reader(packet).next(root);
  if (answer.error) return answer;
  y3::Reader children = y3::Reader::children(packet, root);
  while (!children.done()) {
    y3::Packet child;
    answer.error = children.next(child);
    if (answer.error) return answer;
    if (child.tag.id() != key) continue;
    if (child.tag.is_node()) {
      answer.error = {DecodeErrorKind::wrong_type, child.value_offset};
    } else {
      answer.value = as_text(child.value);
    }
    return answer;
  }
  answer.error = {DecodeErrorKind::missing_field, children.offset()};
  return answer;
}

void compare_walks(const std::vector<y3::WalkKind>& walks, Bytes packet, unsigned key) {
  const std::vector<std::byte> copy(packet.begin(), packet.end());
  for (const bool checked : {false, true}) {
    const Answer expected = read<Dialect::draft01>(checked, copy, key);
    for (const y3::WalkKind& walk : walks) {
      const auto got = take<Dialect::draft01>(walk, checked, copy, key, ValueType::text);
      if (got.error.kind == expected.error.kind && got.value == expected.value) continue;
      FAIL("walk " << std::string(walk.name) << ", checked " << checked << ", key " << key
                   << ", packet " << to_hex(copy) << ": " << to_string(got.error.kind) << " for "
                   << to_string(expected.error.kind));
    }
  }
}

// Children as they come and as they should not: mostly short, some long, nodes and loose ends.
std::vector<std::byte> random_packet(std::mt19937_64& random) {
  std::vector<std::byte> children;
  const std::size_t count = random() % 70;
  for (std::size_t i = 0; i < count; ++i) {
    unsigned tag = static_cast<unsigned>(random() % 64);
    std::size_t length = random() % 4;
    const auto kind = random() % 200;
    if (kind < 40) length = random() % 64;
    if (kind == 40) length = 64 + random() % 200;
    if (kind == 41) tag |= 0x80;
    if (kind == 42) tag = static_cast<unsigned>(random() % 256);
    std::byte header[6] = {std::byte(tag)};
    const std::size_t size = 1 + y3::put_length(header + 1, length);
    children.insert(children.end(), header, header + size);
    // Small bytes look like tags and lengths, which is what misleads a walk.
    for (; length > 0; --length) children.push_back(std::byte(random() % 40));
  }
  if (random() % 8 == 0) children.resize(random() % (children.size() + 1));
  if (random() % 8 == 0) children.push_back(std::byte(random() % 64));
  std::vector<std::byte> packet(children.size() + 6);
  packet[0] = std::byte{0x80};
  const std::size_t begin = 1 + y3::put_length(packet.data() + 1, children.size());
  std::copy(children.begin(), children.end(), packet.begin() + std::ptrdiff_t(begin));
  packet.resize(begin + children.size());
  return packet;
}

// Two pages that may be read, between two that may not.
class GuardedPages {
 public:
  GuardedPages() {
    memory_ = static_cast<std::byte*>(
        mmap(nullptr, 4 * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(memory_ != MAP_FAILED);
    REQUIRE(mprotect(memory_, page_, PROT_NONE) == 0);
    REQUIRE(mprotect(memory_ + 3 * page_, page_, PROT_NONE) == 0);
  }
  ~GuardedPages() { munmap(memory_, 4 * page_); }
  GuardedPages(const GuardedPages&) = delete;
  GuardedPages& operator=(const GuardedPages&) = delete;

  Bytes at_begin(Bytes bytes) const { return copied(memory_ + page_, bytes); }
  Bytes at_end(Bytes bytes) const { return copied(memory_ + 3 * page_ - bytes.size(), bytes); }

 private:
  static Bytes copied(std::byte* to, Bytes bytes) {
    if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
    return {to, bytes.size()};
  }

  std::size_t page_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::byte* memory_;
};

}  // namespace

TEST_CASE("the packets of the stress test are written byte for byte") {
  for (const auto& [name, count] : {std::pair{"c03", 3}, {"c16", 16}, {"c32", 32}}) {
    std::ifstream file(std::string(WIREMARK_TEST_DATA "/stress_") + name + ".y3", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    REQUIRE_FALSE(bytes.empty());
    CHECK(to_hex(packet_of(Y3Pairs(), std::size_t(count))) == to_hex(as_bytes(bytes)));
  }
  std::size_t found = 0;
  const auto document = read_json("y3_vectors.json");
  for (const auto& vector : document.at("vectors")) {
    if (vector.at("kind") != "stress") continue;
    const auto name = vector.at("name").get<std::string>();
    const std::size_t count = std::stoul(name.substr(name.find('C') + 1));
    const auto bytes = vector.at("dialect") == "y3" ? packet_of(Y3NvarPairs(), count)
                                                    : packet_of(Y3Pairs(), count);
    CHECK(to_hex(bytes) == vector.at("hex").get<std::string>());
    ++found;
  }
  CHECK(found == 6);
}

TEST_CASE("every key of every packet is taken by every walk in both dialects") {
  for (const y3::WalkKind& walk : supported_walks()) {
    for (std::size_t count = 0; count <= kMaxPairs; ++count) {
      const auto draft01 = packet_of(Y3Pairs(), count);
      const auto nvar = packet_of(Y3NvarPairs(), count);
      for (unsigned key = 0; key <= 65; ++key) {
        const bool is_there = key >= 1 && key <= count;
        const ValueType type = is_there ? pair_type(key) : ValueType::text;
        for (const bool checked : {false, true}) {
          const Answer first = take<Dialect::draft01>(walk, checked, draft01, key, type);
          const Answer second = take<Dialect::y3>(walk, checked, nvar, key, type);
          REQUIRE(first.error.kind ==
                  (is_there ? DecodeErrorKind::none : DecodeErrorKind::missing_field));
          REQUIRE(first.error.kind == second.error.kind);
          if (is_there) REQUIRE(first.value == pair_value(key));
          if (is_there) REQUIRE(second.value == pair_value(key));
        }
      }
    }
  }
}

TEST_CASE("plain packets need no general reader") {
  for (const y3::WalkKind& walk : supported_walks()) {
    const auto packet = packet_of(Y3Pairs(), 63);
    const Bytes children = Bytes(packet).subspan(3);
    for (unsigned key = 1; key <= 63; ++key) {
      const std::size_t at = walk.walk(children, key, true);
      REQUIRE(at == y3::walk_scalar(children, key, true));
      REQUIRE(at == walk.walk(children, key, false));
      REQUIRE(children[at] == std::byte(key));
    }
  }
}

TEST_CASE("every walk answers as the general reader does, on random and broken packets") {
  const auto walks = supported_walks();
  std::mt19937_64 random(11);
  for (unsigned i = 0; i < rounds(20'000); ++i) {
    const auto packet = random_packet(random);
    compare_walks(walks, packet, static_cast<unsigned>(1 + random() % 63));
    // A key that is there, and is seldom the first byte that looks like it.
    compare_walks(walks, packet, static_cast<unsigned>(1 + random() % 4));
  }
}

TEST_CASE("every prefix and every byte changed is answered as the general reader does") {
  const auto walks = supported_walks();
  const auto packet = packet_of(Y3Pairs(), 63);
  for (std::size_t size = 1; size < packet.size(); ++size) {
    compare_walks(walks, Bytes(packet).first(size), 32);
  }
  for (std::size_t at = 1; at < packet.size(); ++at) {
    for (unsigned value = 0; value < 256; value += at % 2 == 0 ? 3 : 5) {
      auto mutated = packet;
      mutated[at] = std::byte(value);
      compare_walks(walks, mutated, 32);
    }
  }
}

TEST_CASE("no walk reads a byte before or behind its packet") {
  const GuardedPages pages;
  std::mt19937_64 random(13);
  for (const y3::WalkKind& walk : supported_walks()) {
    for (std::size_t count = 0; count <= kMaxPairs; ++count) {
      const auto packet = packet_of(Y3Pairs(), count);
      for (const Bytes placed : {pages.at_begin(packet), pages.at_end(packet)}) {
        REQUIRE_FALSE(y3::check_whole(placed, {}));
        for (const bool checked : {false, true}) {
          const auto error =
              take<Dialect::draft01>(walk, checked, placed, 63, ValueType::text).error;
          REQUIRE(error.kind ==
                  (count == 63 ? DecodeErrorKind::none : DecodeErrorKind::missing_field));
        }
      }
    }
    // Children on their own, whole or cut, with nothing before them either.
    for (unsigned i = 0; i < rounds(5'000); ++i) {
      const auto packet = random_packet(random);
      const Bytes bytes = Bytes(packet).subspan(2, random() % (packet.size() - 1));
      for (const Bytes placed : {pages.at_begin(bytes), pages.at_end(bytes)}) {
        const unsigned key = static_cast<unsigned>(1 + random() % 63);
        const std::size_t expected = y3::walk_scalar(placed, key, true);
        const std::size_t at = walk.walk(placed, key, true);
        REQUIRE((at == expected || at == y3::kUnusual));
      }
    }
  }
}

TEST_CASE("a value of another type shows where its form cannot be") {
  const auto packet = packet_of(Y3Pairs(), 16);
  Value value;
  const Y3Pairs pairs;
  CHECK(pairs.take(packet, 7, ValueType::int32, value).kind == DecodeErrorKind::malformed_varint);
  CHECK(pairs.take(from_hex("80 07 01 05 88 80 80 80 00"), 1, ValueType::int32, value).kind ==
        DecodeErrorKind::number_out_of_range);
  CHECK(pairs.take(from_hex("80 07 01 05 3e80000001"), 1, ValueType::float32, value) ==
        DecodeError{DecodeErrorKind::number_format, 4});
  CHECK(pairs.take(from_hex("80 02 81 00"), 1, ValueType::text, value).kind ==
        DecodeErrorKind::wrong_type);
  CHECK(pairs.take(from_hex("81 03 01 01 61"), 1, ValueType::text, value).kind ==
        DecodeErrorKind::invalid_tag);
  CHECK(pairs.take_checked(from_hex("80 03 01 01 61 00"), 1, ValueType::text, value) ==
        DecodeError{DecodeErrorKind::trailing_data, 5});
}

TEST_CASE("no room is no packet") {
  const auto values = std::span(kPairValues).first(3);
  std::vector<std::byte> room(Y3Pairs().max_size(values) - 1);
  CHECK(Y3Pairs().encode(values, room) == 0);
}
