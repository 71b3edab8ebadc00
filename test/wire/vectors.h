// The packets of data/malformed.json, and hex.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace wiremark::wire::test {

/// "0aff" as two bytes; blanks and line ends may stand anywhere.
std::vector<std::byte> from_hex(std::string_view hex);

std::string to_hex(Bytes bytes);

/// Reads test/wire/data/`name`.
nlohmann::json read_json(const std::string& name);

/// One packet a decoder is tried with.
struct Vector {
  std::string name;
  std::vector<std::byte> packet;  ///< Its heap block ends with it, so that ASan sees a read beyond.
  std::string expected;           ///< "ok", or an error kind followed by remarks.
};

/// The packets of one format: "bytestream", "protobuf", "json", "flatbuffers" or "y3".
std::vector<Vector> malformed_packets(std::string_view format);

}  // namespace wiremark::wire::test
