// JSON texts for the tests: what RFC 8259 allows, what it forbids, and packets that hold them.
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "wire/json/codec.h"
#include "wire/json/simdjson_reader.h"
#include "wire/json/walker.h"

namespace wiremark::wire::test {

inline constexpr std::string_view kPlainJson = R"({"head":567,"guid":15,"content":"abc"})";

/// A copy whose heap block ends with the text, so that ASan sees a read beyond.
inline std::vector<std::byte> exact(std::string_view text) {
  const Bytes bytes = as_bytes(text);
  std::vector<std::byte> copy(bytes.begin(), bytes.end());
  copy.shrink_to_fit();
  return copy;
}

/// What the codec says to an exact copy of `text`, after checking that the plain reader, simdjson
/// by every set of instructions that runs here and the walker agree. The content lives until the
/// next call.
inline DecodeError decode_by_all(std::string_view text, Message& into) {
  static JsonCodec codec;
  static std::array<std::unique_ptr<SimdjsonReader>, 3> readers = {
      make_simdjson_reader("baseline", Limits{}), make_simdjson_reader("haswell", Limits{}),
      make_simdjson_reader("icelake", Limits{})};
  static std::string content;
  const std::vector<std::byte> packet = exact(text);
  const DecodeError error = codec.decode(packet, into);
  const DecodeError explained = explain_json_message(packet, Limits{}.depth);
  INFO(std::string(text));
  CHECK(to_string(explained.kind) == to_string(error.kind));
  CHECK(explained.offset == error.offset);
  Message read;
  for (const auto& reader : readers) {
    if (!reader) continue;
    INFO(std::string(reader->kernel()));
    CHECK(reader->decode(packet, read) == !error);
    CHECK((error || read == into));
  }
  if (read_plain_json(packet, read)) {
    CHECK(!error);
    CHECK(read == into);
  }
  content = error ? "" : into.content;
  into.content = content;
  return error;
}

/// A message whose unknown field x has `value`, before, between or behind the known ones.
inline std::string with_unknown(std::string_view value, unsigned place) {
  const std::vector<std::string> fields = {R"("head":567)", R"("guid":15)", R"("content":"abc")"};
  std::string text = "{";
  for (unsigned i = 0; i <= fields.size(); ++i) {
    if (i == place) text.append(R"("x":)").append(value).append(i < fields.size() ? "," : "");
    if (i < fields.size()) text.append(fields[i]).append(i + 1 < fields.size() ? "," : "");
    if (i + 1 == fields.size() && place == fields.size()) text += ',';
  }
  return text + "}";
}

}  // namespace wiremark::wire::test
