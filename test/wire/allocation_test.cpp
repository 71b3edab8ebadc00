// Encoding and decoding allocate nothing: operator new is counted.
#include <doctest/doctest.h>

#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "wire/codecs.h"
#include "wire/flatbuffers/envelope.h"
#include "wire/flatbuffers/pairs.h"
#include "wire/json/pairs.h"
#include "wire/protobuf/envelope.h"
#include "wire/protobuf/pairs.h"
#include "wire/y3/envelope.h"
#include "wire/y3/pairs.h"

using namespace wiremark;
using namespace wiremark::wire;

namespace {
std::size_t allocations = 0;
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* block = std::malloc(size)) return block;
  throw std::bad_alloc();
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }

TEST_CASE("the counter counts") {
  const std::size_t before = allocations;
  const auto block = std::make_unique<int>(1);
  CHECK(allocations == before + 1);
}

TEST_CASE("no codec allocates, whatever it writes, reads or refuses") {
  const std::vector<std::string> texts = {"", "abc", "escapes \" \\ \n \x01 \xC3\xA9",
                                          std::string(5'000, 'x')};
  std::vector<std::byte> to(64'000);
  for (const std::string_view name : Codecs::kNames) {
    CAPTURE(name);
    (void)with_codec(name, Limits(), [&](auto& codec) {
      std::size_t failures = 0;
      const std::size_t before = allocations;
      for (const std::string& text : texts) {
        for (const std::int32_t head : {567, -1}) {
          Message message{head, 15, text};
          const std::size_t size = codec.encode(message, to);
          if (size == 0 || codec.decode(Bytes(to).first(size), message)) ++failures;
          // Cut packets take the paths that look for the reason.
          for (std::size_t cut = 0; cut < size; cut += 7) {
            (void)codec.decode(Bytes(to).first(cut), message);
          }
        }
      }
      CHECK(allocations == before);
      CHECK(failures == 0);
    });
  }
}

TEST_CASE_TEMPLATE("no taking allocates", P, ProtobufPairs, FlatbuffersPairs, JsonPairs, Y3Pairs) {
  std::vector<std::byte> to(64'000);
  P pairs{Limits()};
  Value value;
  std::size_t failures = 0;
  const std::size_t before = allocations;
  for (const std::size_t count : {3U, 16U, 32U, 63U}) {
    const Bytes packet = Bytes(to).first(pairs.encode(std::span(kPairValues).first(count), to));
    const auto key = static_cast<unsigned>((count + 1) / 2);
    if (pairs.take(packet, key, pair_type(key), value)) ++failures;
    if (pairs.take_checked(packet, key, pair_type(key), value)) ++failures;
  }
  CHECK(allocations == before);
  CHECK(failures == 0);
}

TEST_CASE_TEMPLATE("no envelope allocates", E, ProtobufEnvelope, FlatbuffersEnvelope, Y3Envelope) {
  std::vector<std::byte> to(64'000);
  const std::string body(5'000, 'x');
  E codec{Limits()};
  Envelope read;
  std::int32_t type = 0;
  Bytes inner;
  std::size_t failures = 0;
  const std::size_t before = allocations;
  const Bytes nest = Bytes(to).first(codec.encode_nest({7, as_bytes(body)}, to));
  if (codec.route(nest, type, inner) || codec.decode_nest(nest, read)) ++failures;
  const Bytes one_of = Bytes(to).first(codec.encode_union({7, as_bytes(body)}, to));
  if (codec.decode_union(one_of, read)) ++failures;
  CHECK(allocations == before);
  CHECK(failures == 0);
}
