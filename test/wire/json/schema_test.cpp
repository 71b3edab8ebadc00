// The examples of schemas/json.md are what the codec writes and reads.
#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <vector>

#include "wire/encoded.h"
#include "wire/json/codec.h"
#include "wire/vectors.h"

using namespace wiremark;
using namespace wiremark::wire;
using namespace wiremark::wire::test;

TEST_CASE("json: the examples of the document are what is written and read") {
  std::ifstream file(WIREMARK_TEST_DATA "/../../../schemas/json.md");
  REQUIRE(file.good());
  JsonCodec codec;
  unsigned examples = 0;
  std::string hex;
  for (std::string line; std::getline(file, line);) {
    constexpr std::string_view kHex = "    hex: ";
    constexpr std::string_view kMore = "         ";
    constexpr std::string_view kJson = "    json: ";
    if (line.starts_with(kHex)) hex = line.substr(kHex.size());
    if (line.starts_with(kMore)) hex += line;
    if (!line.starts_with(kJson)) continue;
    ++examples;
    const std::vector<std::byte> frame = from_hex(hex);
    REQUIRE(frame.size() > 4);
    const Bytes payload = Bytes(frame).subspan(4);
    CHECK(load_le<std::uint32_t>(frame.data()) == payload.size());
    CHECK(as_text(payload) == line.substr(kJson.size()));
    Message message;
    REQUIRE(!codec.decode(payload, message));
    CHECK(as_text(encoded(codec, message)) == as_text(payload));
  }
  CHECK(examples == 2);
}
