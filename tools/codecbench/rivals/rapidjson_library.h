// RapidJSON, as rows to compare with.
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

namespace wiremark::tools {

/// The memory of RapidJSON's trees and of the text it writes, kept from one message to the next.
class RapidjsonMemory {
 public:
  RapidjsonMemory();
  RapidjsonMemory(RapidjsonMemory&&) noexcept;
  ~RapidjsonMemory();

  struct State;
  State& state() const noexcept { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

/// Told to check UTF-8 and to read numbers in full precision; a member that occurs twice is
/// refused. It has no limit of depth. Errors have its offset, or 0 if a field is wrong.
class RapidjsonCodec {
 public:
  static constexpr std::string_view kName = "json";

  explicit RapidjsonCodec(wire::Limits = {}) {}

  std::size_t max_size(const wire::Message& message) const noexcept;
  std::size_t encode(const wire::Message& message, MutableBytes to) const noexcept;
  /// The content lives in the tree of the last decode.
  wire::DecodeError decode(Bytes from, wire::Message& into) noexcept;

 private:
  RapidjsonMemory memory_;
};

static_assert(wire::Codec<RapidjsonCodec>);

/// The whole packet is parsed before a value is returned. Of several pairs of one key take()
/// returns the first; take_checked() refuses a second. Integers of 64 bits are exact.
class RapidjsonPairs {
 public:
  static constexpr std::string_view kName = "json";

  explicit RapidjsonPairs(wire::Limits = {}) {}

  std::size_t max_size(std::span<const wire::Value> values) const noexcept;
  std::size_t encode(std::span<const wire::Value> values, MutableBytes to) const noexcept;
  wire::DecodeError take(Bytes packet, unsigned key, wire::ValueType type,
                         wire::Value& into) noexcept;
  wire::DecodeError take_checked(Bytes packet, unsigned key, wire::ValueType type,
                                 wire::Value& into) noexcept;

 private:
  RapidjsonMemory memory_;
};

static_assert(wire::Pairs<RapidjsonPairs>);

}  // namespace wiremark::tools
