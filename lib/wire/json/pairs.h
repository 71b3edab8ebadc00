// Pairs as a JSON object, {"k1":"a","k2":-65,...}, and one value taken out of it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "wire/decode_error.h"
#include "wire/json/walker.h"
#include "wire/pairs.h"
#include "wire/value.h"

namespace wiremark::wire {

/// The most bytes that JsonPairs::encode(values) writes.
std::size_t json_max_size(std::span<const Value> values) noexcept;

/// Takes the value under one key of an object, by JsonWalker. A text with escapes is resolved into
/// a buffer as large as the frame limit, which is reserved when this is made.
class JsonTaker {
 public:
  explicit JsonTaker(Limits limits);

  /// Walks to the first value under `key`, or over the whole packet when `checked`.
  DecodeError take(Bytes packet, unsigned key, ValueType type, bool checked, Value& into) noexcept;
  /// Reads the value at which the walker stands; false with its error() set for another type.
  bool read(JsonWalker& walker, ValueType type, Value& into) noexcept;

 private:
  bool read_text(JsonWalker& walker, Value& into) noexcept;

  Limits limits_;
  std::unique_ptr<char[]> unescaped_;
};

/// take() searches for the key in blocks of 16 bytes, without walking what comes before it, if the
/// object is flat and without escapes; otherwise JsonTaker walks. Of several pairs of one key the
/// first counts; take_checked() refuses a second. Floats that are not finite cannot be encoded.
class JsonPairs {
 public:
  static constexpr std::string_view kName = "json";

  explicit JsonPairs(Limits limits = {}) : limits_(limits), taker_(limits) {}

  std::size_t max_size(std::span<const Value> values) const noexcept;
  std::size_t encode(std::span<const Value> values, MutableBytes to) const noexcept;
  DecodeError take(Bytes packet, unsigned key, ValueType type, Value& into) noexcept;
  DecodeError take_checked(Bytes packet, unsigned key, ValueType type, Value& into) noexcept;

 private:
  Limits limits_;
  JsonTaker taker_;
};

static_assert(Pairs<JsonPairs>);

/// The name of a pair, "k1" to "k63".
class PairName {
 public:
  explicit constexpr PairName(unsigned key) noexcept {
    if (key > 9) text_[size_++] = static_cast<char>('0' + key / 10 % 10);
    text_[size_++] = static_cast<char>('0' + key % 10);
  }

  constexpr std::string_view text() const noexcept { return {text_, size_}; }
  constexpr const char* c_str() const noexcept { return text_; }

 private:
  char text_[4] = {'k'};  // Ends in a NUL.
  std::size_t size_ = 1;
};

}  // namespace wiremark::wire
