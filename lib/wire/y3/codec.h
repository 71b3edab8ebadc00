// The message as a Y3 packet: node 1 {1: head, 2: guid, 3: content}.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/bytes.h"
#include "wire/codec.h"
#include "wire/decode_error.h"
#include "wire/message.h"
#include "wire/y3/varint.h"

namespace wiremark::wire {

/// Head and guid are int32 in the codec's dialect, content is raw: its encoding is not checked.
///
/// decode() takes the fields in any order, skips other ids and checks the nodes among them.
/// Errors: those of y3::Reader and of y3::get_int(), too_large (over the frame limit or a length
/// over int32), trailing_data, depth_exceeded, invalid_tag (root that is not node 1),
/// wrong_type (a node where a field is a primitive), duplicate_field, missing_field.
template <y3::Dialect D>
class BasicY3Codec {
 public:
  static constexpr std::string_view kName = D == y3::Dialect::draft01 ? "y3" : "y3-nvar";

  explicit BasicY3Codec(Limits limits = {}) noexcept : limits_(limits) {}

  std::size_t max_size(const Message& message) const noexcept {
    // Tag and length of the node, two integers of at most 5 bytes, tag and length of the content.
    return 6 + 7 + 7 + 6 + message.content.size();
  }
  std::size_t encode(const Message& message, MutableBytes to) const noexcept;
  DecodeError decode(Bytes from, Message& into) const noexcept;

 private:
  DecodeError decode_any(Bytes from, Message& into) const noexcept;

  Limits limits_;
};

extern template class BasicY3Codec<y3::Dialect::draft01>;
extern template class BasicY3Codec<y3::Dialect::y3>;

/// The dialect of the experiments, and what `y3` means where no dialect is named.
using Y3Codec = BasicY3Codec<y3::Dialect::draft01>;
using Y3NvarCodec = BasicY3Codec<y3::Dialect::y3>;

static_assert(Codec<Y3Codec> && Codec<Y3NvarCodec>);

}  // namespace wiremark::wire
