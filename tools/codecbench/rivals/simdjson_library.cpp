// The strict reader of json/simdjson_reader.h without a fast path in front of it.
#include "codecbench/rivals/simdjson_library.h"

#include "wire/json/codec.h"
#include "wire/json/writer.h"

namespace wiremark::tools {

using namespace wire;

using enum DecodeErrorKind;

SimdjsonCodec::SimdjsonCodec(Limits limits)
    : limits_(limits), reader_(make_simdjson_reader(limits)) {}

std::size_t SimdjsonCodec::max_size(const Message& message) const noexcept {
  return json_max_size(message);
}

std::size_t SimdjsonCodec::encode(const Message& message, MutableBytes to) const noexcept {
  return write_json(message, to);
}

DecodeError SimdjsonCodec::decode(Bytes from, Message& into) noexcept {
  if (reader_->decode(from, into)) [[likely]]
    return {};
  if (from.size() > limits_.frame_size) return {.kind = too_large, .offset = limits_.frame_size};
  return explain_json_message(from, limits_.depth);
}

SimdjsonPairs::SimdjsonPairs(Limits limits) : own_(limits), reader_(make_simdjson_reader(limits)) {}

std::size_t SimdjsonPairs::max_size(std::span<const Value> values) const noexcept {
  return own_.max_size(values);
}

std::size_t SimdjsonPairs::encode(std::span<const Value> values, MutableBytes to) const noexcept {
  return own_.encode(values, to);
}

DecodeError SimdjsonPairs::take(Bytes packet, unsigned key, ValueType type, Value& into) noexcept {
  if (reader_->take(packet, PairName(key).text(), type, into)) [[likely]]
    return {};
  // find_field does not resolve escapes in names; own_ does, and it names errors.
  return own_.take(packet, key, type, into);
}

DecodeError SimdjsonPairs::take_checked(Bytes packet, unsigned key, ValueType type,
                                        Value& into) noexcept {
  if (reader_->take_checked(packet, PairName(key).text(), type, into)) [[likely]]
    return {};
  return own_.take_checked(packet, key, type, into);
}

}  // namespace wiremark::tools
