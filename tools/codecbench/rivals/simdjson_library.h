// simdjson by itself, as rows to compare with.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "wire/codec.h"
#include "wire/decode_error.h"
#include "wire/json/pairs.h"
#include "wire/json/simdjson_reader.h"
#include "wire/message.h"
#include "wire/pairs.h"

namespace wiremark::tools {

/// Decodes with On-Demand and checks every byte; the content lives in the parser's buffer. simdjson
/// 3 has no fast writer to compare with, so encode() is that of JsonCodec. Allocates nothing.
class SimdjsonCodec {
 public:
  static constexpr std::string_view kName = "json";

  explicit SimdjsonCodec(wire::Limits limits = {});

  std::size_t max_size(const wire::Message& message) const noexcept;
  std::size_t encode(const wire::Message& message, MutableBytes to) const noexcept;
  wire::DecodeError decode(Bytes from, wire::Message& into) noexcept;

 private:
  wire::Limits limits_;
  std::unique_ptr<wire::SimdjsonReader> reader_;
};

static_assert(wire::Codec<SimdjsonCodec>);

/// take() uses find_field; take_checked() visits all fields and walks unknown values.
class SimdjsonPairs {
 public:
  static constexpr std::string_view kName = "json";

  explicit SimdjsonPairs(wire::Limits limits = {});

  std::size_t max_size(std::span<const wire::Value> values) const noexcept;
  std::size_t encode(std::span<const wire::Value> values, MutableBytes to) const noexcept;
  wire::DecodeError take(Bytes packet, unsigned key, wire::ValueType type,
                         wire::Value& into) noexcept;
  wire::DecodeError take_checked(Bytes packet, unsigned key, wire::ValueType type,
                                 wire::Value& into) noexcept;

 private:
  wire::JsonPairs own_;
  std::unique_ptr<wire::SimdjsonReader> reader_;
};

static_assert(wire::Pairs<SimdjsonPairs>);

}  // namespace wiremark::tools
