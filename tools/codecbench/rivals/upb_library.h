// upb, the protobuf library of Google's C core, as rows to compare with.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "wire/codec.h"
#include "wire/decode_error.h"
#include "wire/message.h"
#include "wire/pairs.h"

namespace wiremark::tools {

/// What upb does with the bytes of a string.
enum class UpbText : std::uint8_t {
  unchecked,  ///< As its compiler has it for proto2: they are as good as any bytes.
  utf8,       ///< As it has it for proto3: they must be UTF-8.
};

/// Texts are views into the packet. Each message is made in an arena of its own, whose first block
/// is kept and holds any ordinary one. upb does not ask for required fields, so this does. Every
/// error of upb is `syntax` at 0, since it says no more.
template <UpbText kText>
class UpbCodec {
 public:
  static constexpr std::string_view kName = "protobuf";

  explicit UpbCodec(const wire::Limits& limits = {});

  std::size_t max_size(const wire::Message& message) const noexcept {
    return 33 + message.content.size();
  }
  std::size_t encode(const wire::Message& message, MutableBytes to) const noexcept;
  wire::DecodeError decode(Bytes from, wire::Message& message) const noexcept;

 private:
  std::unique_ptr<std::byte[]> block_;
};

extern template class UpbCodec<UpbText::unchecked>;
extern template class UpbCodec<UpbText::utf8>;

static_assert(wire::Codec<UpbCodec<UpbText::unchecked>>);

/// Both takes parse the whole packet: the library has no other way. Texts must be UTF-8 with
/// `utf8`.
template <UpbText kText>
class UpbPairs {
 public:
  static constexpr std::string_view kName = "protobuf";

  explicit UpbPairs(const wire::Limits& limits = {});

  std::size_t max_size(std::span<const wire::Value> values) const noexcept;
  std::size_t encode(std::span<const wire::Value> values, MutableBytes to) const noexcept;
  wire::DecodeError take(Bytes packet, unsigned key, wire::ValueType type,
                         wire::Value& value) const noexcept;
  wire::DecodeError take_checked(Bytes packet, unsigned key, wire::ValueType type,
                                 wire::Value& value) const noexcept {
    return take(packet, key, type, value);
  }

 private:
  std::unique_ptr<std::byte[]> block_;
};

extern template class UpbPairs<UpbText::unchecked>;
extern template class UpbPairs<UpbText::utf8>;

static_assert(wire::Pairs<UpbPairs<UpbText::unchecked>>);

}  // namespace wiremark::tools
