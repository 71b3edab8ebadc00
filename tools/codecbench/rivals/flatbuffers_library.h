// FlatBuffers with the code that flatc makes of schemas/*.fbs, as a row to compare with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "wire/codec.h"
#include "wire/envelope.h"
#include "wire/message.h"
#include "wire/pairs.h"
#include "wire/value.h"

namespace wiremark::wire {

/// One reused builder, and the verifier in front of every read. Every error of the verifier is
/// bad_offset at 0: the library says no more. Sizes of what a builder makes are not known
/// beforehand, so max_size() is generous.
class FlatbuffersLibrary {
 public:
  static constexpr std::string_view kName = "flatbuffers";

  explicit FlatbuffersLibrary(const Limits& limits = {});
  FlatbuffersLibrary(FlatbuffersLibrary&&) noexcept;
  ~FlatbuffersLibrary();

  std::size_t max_size(const Message& message) const noexcept {
    return 64 + message.content.size();
  }
  std::size_t encode(const Message& message, MutableBytes to);
  DecodeError decode(Bytes from, Message& message);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

static_assert(Codec<FlatbuffersLibrary>);

/// Verifies the whole packet in both strengths, then reads one field.
class FlatbuffersLibraryPairs {
 public:
  static constexpr std::string_view kName = "flatbuffers";

  explicit FlatbuffersLibraryPairs(const Limits& limits = {});
  FlatbuffersLibraryPairs(FlatbuffersLibraryPairs&&) noexcept;
  ~FlatbuffersLibraryPairs();

  std::size_t max_size(std::span<const Value> values) const noexcept;
  std::size_t encode(std::span<const Value> values, MutableBytes to);
  DecodeError take(Bytes packet, unsigned key, ValueType type, Value& value);
  DecodeError take_checked(Bytes packet, unsigned key, ValueType type, Value& value) {
    return take(packet, key, type, value);
  }

 private:
  struct State;
  std::unique_ptr<State> state_;
};

static_assert(Pairs<FlatbuffersLibraryPairs>);

/// Two reused builders, because the payload of a nest is a buffer of its own.
class FlatbuffersLibraryEnvelope {
 public:
  static constexpr std::string_view kName = "flatbuffers";

  explicit FlatbuffersLibraryEnvelope(const Limits& limits = {});
  FlatbuffersLibraryEnvelope(FlatbuffersLibraryEnvelope&&) noexcept;
  ~FlatbuffersLibraryEnvelope();

  std::size_t max_size(const Envelope& envelope) const noexcept {
    return 320 + envelope.body.size();
  }
  std::size_t encode_nest(const Envelope& envelope, MutableBytes to);
  std::size_t encode_union(const Envelope& envelope, MutableBytes to);
  DecodeError decode_nest(Bytes from, Envelope& envelope);
  DecodeError decode_union(Bytes from, Envelope& envelope);
  DecodeError route(Bytes from, std::int32_t& type, Bytes& inner);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

static_assert(EnvelopeCodec<FlatbuffersLibraryEnvelope>);

}  // namespace wiremark::wire
