// nlohmann::json, as rows to compare with.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "wire/codec.h"
#include "wire/decode_error.h"
#include "wire/message.h"
#include "wire/pairs.h"

namespace wiremark::tools {

/// Builds a tree for every message. What is not JSON is `syntax` at offset 0, since without
/// exceptions the parser says no more. Of a name that occurs twice the last one counts.
class NlohmannCodec {
 public:
  static constexpr std::string_view kName = "json";

  explicit NlohmannCodec(wire::Limits = {}) {}

  std::size_t max_size(const wire::Message& message) const noexcept;
  std::size_t encode(const wire::Message& message, MutableBytes to) const;
  /// The content lives in the tree of the last decode.
  wire::DecodeError decode(Bytes from, wire::Message& into);

 private:
  nlohmann::json tree_;
};

static_assert(wire::Codec<NlohmannCodec>);

/// The whole packet is parsed before a value is returned, so both takes are the same.
class NlohmannPairs {
 public:
  static constexpr std::string_view kName = "json";

  explicit NlohmannPairs(wire::Limits = {}) {}

  std::size_t max_size(std::span<const wire::Value> values) const;
  std::size_t encode(std::span<const wire::Value> values, MutableBytes to) const;
  wire::DecodeError take(Bytes packet, unsigned key, wire::ValueType type, wire::Value& into);
  wire::DecodeError take_checked(Bytes packet, unsigned key, wire::ValueType type,
                                 wire::Value& into);

 private:
  nlohmann::json tree_;
};

static_assert(wire::Pairs<NlohmannPairs>);

}  // namespace wiremark::tools
