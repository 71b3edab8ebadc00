// simdjson used as its documentation shows, as rows to compare with.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "codecbench/rivals/simdjson_calls.h"
#include "wire/codec.h"
#include "wire/decode_error.h"
#include "wire/json/pairs.h"
#include "wire/json/writer.h"
#include "wire/message.h"
#include "wire/pairs.h"

namespace wiremark::tools {

/// On-Demand with find_field() for each member, in their order. It accepts what is no JSON behind
/// the last one, and duplicates. Every error is `syntax` at 0; encode() is that of JsonCodec.
class DocumentedSimdjson {
 public:
  static constexpr std::string_view kName = "json";

  explicit DocumentedSimdjson(const wire::Limits& limits = {})
      : calls_(make_simdjson_calls(limits)) {}

  std::size_t max_size(const wire::Message& message) const noexcept {
    return wire::json_max_size(message);
  }
  std::size_t encode(const wire::Message& message, MutableBytes to) const noexcept {
    return wire::write_json(message, to);
  }
  wire::DecodeError decode(Bytes from, wire::Message& into) noexcept {
    if (calls_->decode(from, into)) return {};
    return {.kind = wire::DecodeErrorKind::syntax, .offset = 0};
  }

 private:
  std::unique_ptr<SimdjsonCalls> calls_;
};

static_assert(wire::Codec<DocumentedSimdjson>);

/// take() is On-Demand's find_field(); take_checked() parses the whole packet into the DOM.
class DocumentedSimdjsonPairs {
 public:
  static constexpr std::string_view kName = "json";

  explicit DocumentedSimdjsonPairs(const wire::Limits& limits = {})
      : own_(limits), calls_(make_simdjson_calls(limits)) {}

  std::size_t max_size(std::span<const wire::Value> values) const noexcept {
    return own_.max_size(values);
  }
  std::size_t encode(std::span<const wire::Value> values, MutableBytes to) const noexcept {
    return own_.encode(values, to);
  }
  wire::DecodeError take(Bytes packet, unsigned key, wire::ValueType type,
                         wire::Value& into) noexcept {
    return answer(calls_->find(packet, wire::PairName(key).text(), type, into));
  }
  wire::DecodeError take_checked(Bytes packet, unsigned key, wire::ValueType type,
                                 wire::Value& into) noexcept {
    return answer(calls_->parse(packet, wire::PairName(key).text(), type, into));
  }

 private:
  static wire::DecodeError answer(bool good) noexcept {
    if (good) return {};
    return {.kind = wire::DecodeErrorKind::syntax, .offset = 0};
  }

  wire::JsonPairs own_;
  std::unique_ptr<SimdjsonCalls> calls_;
};

static_assert(wire::Pairs<DocumentedSimdjsonPairs>);

/// simdjson::validate_utf8().
bool simdjson_is_utf8(Bytes text) noexcept;

}  // namespace wiremark::tools
