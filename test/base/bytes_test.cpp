// Little-endian loads and stores.
#include "base/bytes.h"

#include <doctest/doctest.h>

#include <array>

using namespace wiremark;

TEST_CASE("little-endian numbers stand lowest byte first at any alignment") {
  std::array<std::byte, 9> bytes{};
  store_le(bytes.data() + 1, std::uint32_t{0x12345678});
  CHECK(bytes[1] == std::byte{0x78});
  CHECK(bytes[4] == std::byte{0x12});
  CHECK(load_le<std::uint32_t>(bytes.data() + 1) == 0x12345678);
  store_le(bytes.data() + 1, std::uint64_t{0x0102030405060708});
  CHECK(bytes[1] == std::byte{8});
  CHECK(load_le<std::uint64_t>(bytes.data() + 1) == 0x0102030405060708);
}

TEST_CASE("text and bytes are two views of one memory") {
  CHECK(as_bytes("ab").size() == 2);
  CHECK(as_text(as_bytes("ab")) == "ab");
}
