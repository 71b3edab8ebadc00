// jansson, as rows to compare with.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "wire/codec.h"
#include "wire/decode_error.h"
#include "wire/message.h"
#include "wire/pairs.h"

struct json_t;

namespace wiremark::tools {

/// Owns a jansson value.
class JanssonValue {
 public:
  explicit JanssonValue(json_t* value = nullptr) noexcept : value_(value) {}
  ~JanssonValue();
  JanssonValue(JanssonValue&& other) noexcept : value_(other.release()) {}
  JanssonValue& operator=(JanssonValue&& other) noexcept;

  json_t* get() const noexcept { return value_; }
  json_t* release() noexcept;

 private:
  json_t* value_;
};

/// Builds and drops a tree for every message. jansson is told to refuse names that occur twice; it
/// takes numbers over 64 bits for syntax errors, and its only depth limit is 2048. Errors have its
/// offset, or 0 if a field is wrong.
class JanssonCodec {
 public:
  static constexpr std::string_view kName = "json";

  explicit JanssonCodec(wire::Limits = {}) {}

  std::size_t max_size(const wire::Message& message) const noexcept;
  std::size_t encode(const wire::Message& message, MutableBytes to) const noexcept;
  /// The content lives in the tree of the last decode.
  wire::DecodeError decode(Bytes from, wire::Message& into) noexcept;

 private:
  JanssonValue tree_;
};

static_assert(wire::Codec<JanssonCodec>);

/// jansson parses the whole packet before it returns a value, so both takes are the same. Integers
/// are read as reals, since it would refuse 18446744073709551615; so 64-bit numbers are exact only
/// up to 2^53.
class JanssonPairs {
 public:
  static constexpr std::string_view kName = "json";

  explicit JanssonPairs(wire::Limits = {}) {}

  std::size_t max_size(std::span<const wire::Value> values) const noexcept;
  std::size_t encode(std::span<const wire::Value> values, MutableBytes to) const noexcept;
  wire::DecodeError take(Bytes packet, unsigned key, wire::ValueType type,
                         wire::Value& into) noexcept;
  wire::DecodeError take_checked(Bytes packet, unsigned key, wire::ValueType type,
                                 wire::Value& into) noexcept;

 private:
  JanssonValue tree_;
};

static_assert(wire::Pairs<JanssonPairs>);

}  // namespace wiremark::tools
