// The packets of data/malformed.json, and hex.
#include "wire/vectors.h"

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

namespace wiremark::wire::test {

std::vector<std::byte> from_hex(std::string_view hex) {
  std::vector<std::byte> bytes;
  std::string digits;
  for (const char c : hex) {
    if (c == ' ' || c == '\n') continue;
    digits += c;
    if (digits.size() < 2) continue;
    bytes.push_back(static_cast<std::byte>(std::stoi(digits, nullptr, 16)));
    digits.clear();
  }
  REQUIRE(digits.empty());
  return bytes;
}

std::string to_hex(Bytes bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const std::byte b : bytes) {
    hex += kDigits[std::to_integer<unsigned>(b) >> 4];
    hex += kDigits[std::to_integer<unsigned>(b) & 15];
  }
  return hex;
}

nlohmann::json read_json(const std::string& name) {
  std::ifstream file(WIREMARK_TEST_DATA "/" + name);
  REQUIRE(file.good());
  return nlohmann::json::parse(file);
}

std::vector<Vector> malformed_packets(std::string_view format) {
  std::vector<Vector> vectors;
  const nlohmann::json document = read_json("malformed.json");
  for (const auto& packet : document["packets"]) {
    if (packet["format"].get<std::string>() != format) continue;
    std::vector<std::byte> bytes = from_hex(packet["hex"].get<std::string>());
    REQUIRE(bytes.size() == packet["bytes"].get<std::size_t>());
    bytes.shrink_to_fit();
    vectors.push_back({packet["name"], std::move(bytes), packet["expected"]});
  }
  REQUIRE(!vectors.empty());
  return vectors;
}

}  // namespace wiremark::wire::test
