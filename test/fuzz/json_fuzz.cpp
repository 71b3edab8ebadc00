// Any bytes as JSON: all readers agree with each other and with a strict parser, and what was read
// can be written and read again.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "codecbench/rivals/simdjson_library.h"
#include "wire/json/codec.h"
#include "wire/json/pairs.h"
#include "wire/json/simdjson_reader.h"
#include "wire/json/walker.h"

using namespace wiremark;
using namespace wiremark::tools;
using namespace wiremark::wire;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

/// nlohmann knows no depth limit, skips a byte order mark, takes a NUL for the end and refuses
/// numbers that are no double. What it says counts apart from these.
bool comparable(std::string_view text, DecodeError error) {
  return error.kind != DecodeErrorKind::depth_exceeded && !text.starts_with("\xef\xbb\xbf") &&
         !text.contains('\0') && !text.contains('e') && !text.contains('E') && text.size() < 300;
}

bool is_syntax(DecodeErrorKind kind) {
  using enum DecodeErrorKind;
  return kind == truncated || kind == trailing_data || kind == number_format ||
         kind == control_character || kind == invalid_escape || kind == invalid_utf8 ||
         kind == syntax;
}

void check_message(Bytes packet) {
  static JsonCodec codec;
  static const auto reader = make_simdjson_reader(Limits{});
  static const auto slow_reader = make_simdjson_reader("baseline", Limits{});
  Message message;
  Message other;
  const DecodeError error = codec.decode(packet, message);
  const std::string content(error ? std::string_view() : message.content);
  require(error == explain_json_message(packet, Limits{}.depth));
  require(error.offset <= packet.size());
  for (const auto* each : {&reader, &slow_reader}) {
    require((*each)->decode(packet, other) == !error);
    require(error ||
            (other.head == message.head && other.guid == message.guid && other.content == content));
  }
  const std::string_view text = as_text(packet);
  if (comparable(text, error)) {
    const bool json = nlohmann::json::accept(text);
    require(error ? !(json && is_syntax(error.kind)) : json);
  }
  if (error) return;
  const Message read{message.head, message.guid, content};
  std::vector<std::byte> room(codec.max_size(read));
  const std::size_t size = codec.encode(read, room);
  require(size > 0);
  room.resize(size);
  room.shrink_to_fit();
  require(!codec.decode(room, other) && other == read);
}

void check_pairs(Bytes packet) {
  static JsonPairs own;
  static SimdjsonPairs simdjson;
  for (const unsigned key : {1U, 2U, 3U, 5U, 6U, 7U, 32U}) {
    Value value;
    Value other;
    const ValueType type = pair_type(key);
    const DecodeError error = own.take_checked(packet, key, type, value);
    require(simdjson.take_checked(packet, key, type, other) == error);
    require(error || value == other);
    // Less is checked, so more is taken; but what is taken of a good packet is the same.
    const DecodeError loose = own.take(packet, key, type, other);
    require(error || (!loose && value == other));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes packet(reinterpret_cast<const std::byte*>(data), size);
  check_message(packet);
  check_pairs(packet);
  return 0;
}
