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

namespace wiremark::tools {

/// One reused builder, and the verifier before every read. Every error of the verifier is
/// bad_offset at 0, since the library says no more. How much a builder writes is not known
/// beforehand, so max_size() is generous.
class FlatbuffersLibrary {
 public:
  static constexpr std::string_view kName = "flatbuffers";

  explicit FlatbuffersLibrary(const wire::Limits& limits = {});
  FlatbuffersLibrary(FlatbuffersLibrary&&) noexcept;
  ~FlatbuffersLibrary();

  std::size_t max_size(const wire::Message& message) const noexcept {
    return 64 + message.content.size();
  }
  std::size_t encode(const wire::Message& message, MutableBytes to);
  wire::DecodeError decode(Bytes from, wire::Message& message);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

static_assert(wire::Codec<FlatbuffersLibrary>);

/// Verifies the whole packet in both takes, then reads one field.
class FlatbuffersLibraryPairs {
 public:
  static constexpr std::string_view kName = "flatbuffers";

  explicit FlatbuffersLibraryPairs(const wire::Limits& limits = {});
  FlatbuffersLibraryPairs(FlatbuffersLibraryPairs&&) noexcept;
  ~FlatbuffersLibraryPairs();

  std::size_t max_size(std::span<const wire::Value> values) const noexcept;
  std::size_t encode(std::span<const wire::Value> values, MutableBytes to);
  wire::DecodeError take(Bytes packet, unsigned key, wire::ValueType type, wire::Value& value);
  wire::DecodeError take_checked(Bytes packet, unsigned key, wire::ValueType type,
                                 wire::Value& value) {
    return take(packet, key, type, value);
  }

 private:
  struct State;
  std::unique_ptr<State> state_;
};

static_assert(wire::Pairs<FlatbuffersLibraryPairs>);

/// Two reused builders, because the payload of a nest is a buffer of its own.
class FlatbuffersLibraryEnvelope {
 public:
  static constexpr std::string_view kName = "flatbuffers";

  explicit FlatbuffersLibraryEnvelope(const wire::Limits& limits = {});
  FlatbuffersLibraryEnvelope(FlatbuffersLibraryEnvelope&&) noexcept;
  ~FlatbuffersLibraryEnvelope();

  std::size_t max_size(const wire::Envelope& envelope) const noexcept {
    return 320 + envelope.body.size();
  }
  std::size_t encode_nest(const wire::Envelope& envelope, MutableBytes to);
  std::size_t encode_union(const wire::Envelope& envelope, MutableBytes to);
  wire::DecodeError decode_nest(Bytes from, wire::Envelope& envelope);
  wire::DecodeError decode_union(Bytes from, wire::Envelope& envelope);
  wire::DecodeError route(Bytes from, std::int32_t& type, Bytes& inner);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

static_assert(wire::EnvelopeCodec<FlatbuffersLibraryEnvelope>);

}  // namespace wiremark::tools
