// libprotobuf with the code that protoc makes of schemas/*.proto, as a row to compare with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "wire/codec.h"
#include "wire/envelope.h"
#include "wire/message.h"
#include "wire/pairs.h"
#include "wire/value.h"

namespace wiremark::tools {

/// Where the library's message lives between two calls.
enum class ProtobufObject : std::uint8_t {
  reused,  ///< One message for all calls, which keeps its memory.
  fresh,   ///< A new message for each call.
  arena,   ///< A new message for each call, on an arena that is reset before.
};

/// How a text comes into the library's message.
enum class ProtobufText : std::uint8_t {
  assigned,  ///< mutable_content()->assign(): straight into the string that the message keeps.
  set,       ///< set_content(pointer, size): the generated setter, which makes a string first.
};

/// proto2 code does not check UTF-8. Every error is `syntax` at 0, since the library says no more.
template <ProtobufObject kObject, ProtobufText kText = ProtobufText::assigned>
class LibprotobufCodec {
 public:
  static constexpr std::string_view kName = "protobuf";

  explicit LibprotobufCodec(const wire::Limits& limits = {});
  LibprotobufCodec(LibprotobufCodec&&) noexcept;
  ~LibprotobufCodec();

  std::size_t max_size(const wire::Message& message) const noexcept {
    return 33 + message.content.size();
  }
  std::size_t encode(const wire::Message& message, MutableBytes to);
  wire::DecodeError decode(Bytes from, wire::Message& message);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

using ReusedLibprotobuf = LibprotobufCodec<ProtobufObject::reused>;
using SetLibprotobuf = LibprotobufCodec<ProtobufObject::reused, ProtobufText::set>;
using FreshLibprotobuf = LibprotobufCodec<ProtobufObject::fresh>;
using ArenaLibprotobuf = LibprotobufCodec<ProtobufObject::arena>;

extern template class LibprotobufCodec<ProtobufObject::reused>;
extern template class LibprotobufCodec<ProtobufObject::reused, ProtobufText::set>;
extern template class LibprotobufCodec<ProtobufObject::fresh>;
extern template class LibprotobufCodec<ProtobufObject::arena>;

static_assert(wire::Codec<ReusedLibprotobuf> && wire::Codec<FreshLibprotobuf> &&
              wire::Codec<ArenaLibprotobuf>);

/// Both takes parse the whole packet into one reused message: the library has no other way.
class LibprotobufPairs {
 public:
  static constexpr std::string_view kName = "protobuf";

  explicit LibprotobufPairs(const wire::Limits& limits = {});
  LibprotobufPairs(LibprotobufPairs&&) noexcept;
  ~LibprotobufPairs();

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

static_assert(wire::Pairs<LibprotobufPairs>);

/// One reused message per layout. The inner message of a nest is parsed from its payload; route()
/// parses the outer one and leaves it.
class LibprotobufEnvelope {
 public:
  static constexpr std::string_view kName = "protobuf";

  explicit LibprotobufEnvelope(const wire::Limits& limits = {});
  LibprotobufEnvelope(LibprotobufEnvelope&&) noexcept;
  ~LibprotobufEnvelope();

  std::size_t max_size(const wire::Envelope& envelope) const noexcept {
    return 33 + envelope.body.size();
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

static_assert(wire::EnvelopeCodec<LibprotobufEnvelope>);

}  // namespace wiremark::tools
