// Once made, the JSON codecs allocate nothing, whatever they are given.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "codecbench/rivals/simdjson_library.h"
#include "wire/json/texts.h"

namespace {

std::atomic<unsigned> allocations = 0;

void* counted(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

using namespace wiremark;
using namespace wiremark::tools;
using namespace wiremark::wire;
using namespace wiremark::wire::test;

TEST_CASE_TEMPLATE("json: a codec allocates when it is made and never again", C, JsonCodec,
                   SimdjsonCodec) {
  const std::string large(200'000, '\x01');
  const std::vector<std::vector<std::byte>> packets = {
      exact(kPlainJson),
      exact(R"({ "content":"\n\u00e9", "head":1, "x":[[1,2],{"a":"\t"}], "guid":2 })"),
      exact(R"({"head":1,"guid":2,"content":"\x"})"),
      exact(std::string(100'000, '[')),
      exact(R"({"content":")" + std::string(900'000, 'a') + R"(\n","head":1,"guid":2})"),
  };
  C codec;
  std::vector<std::byte> room(codec.max_size({1, 2, large}));
  const unsigned before = allocations;
  REQUIRE(before > 0);
  Message message;
  unsigned refused = 0;
  std::size_t written = 0;
  for (int round = 0; round < 3; ++round) {
    for (const auto& packet : packets) refused += codec.decode(packet, message) ? 1 : 0;
    written += codec.encode({1, 2, large}, room);
  }
  const unsigned after = allocations;
  CHECK(after == before);
  CHECK(refused == 6);
  CHECK(written > 3'600'000);
}

TEST_CASE_TEMPLATE("json: neither does a taker", P, JsonPairs, SimdjsonPairs) {
  P pairs;
  const std::vector<std::byte> packet =
      exact(R"({"k1":"a long text that has \"escapes\" and more","k2":7,"x":{"k2":[1]}})");
  Value value;
  std::vector<std::byte> room(pairs.max_size(kPairValues));
  const unsigned before = allocations;
  REQUIRE(before > 0);
  unsigned refused = 0;
  std::size_t written = 0;
  for (unsigned key = 1; key <= 3; ++key) {
    refused += pairs.take(packet, key, pair_type(key), value) ? 1 : 0;
    refused += pairs.take_checked(packet, key, pair_type(key), value) ? 1 : 0;
    written += pairs.encode(kPairValues, room);
  }
  const unsigned after = allocations;
  CHECK(after == before);
  CHECK(refused == 2);
  CHECK(written > 0);
}
