// Numbered key/value pairs as a Y3 packet: node 0 with a primitive per key (experiment E6).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "wire/codec.h"
#include "wire/decode_error.h"
#include "wire/pairs.h"
#include "wire/value.h"
#include "wire/y3/varint.h"
#include "wire/y3/walk.h"

namespace wiremark::wire {

/// A key is a sequence id, so that there are 63. A packet may hold more than one primitive of an
/// id, as Y3 allows; the first is taken.
///
/// Both takes refuse a packet that is not node 0 or that ends before its node does (truncated).
/// take_checked() refuses what y3::check_whole() does. A node under the key is wrong_type; that a
/// primitive is of another type shows only in a form the type cannot have (malformed_varint,
/// number_format, number_out_of_range).
template <y3::Dialect D>
class BasicY3Pairs {
 public:
  static constexpr std::string_view kName = D == y3::Dialect::draft01 ? "y3" : "y3-nvar";

  /// Walks in the way `walk` says, which must be supported.
  explicit BasicY3Pairs(Limits limits = {}, const y3::WalkKind& walk = y3::fastest_walk()) noexcept
      : limits_(limits), walk_(walk.walk) {}

  std::size_t max_size(std::span<const Value> values) const noexcept;
  std::size_t encode(std::span<const Value> values, MutableBytes to) const noexcept;
  DecodeError take(Bytes packet, unsigned key, ValueType type, Value& into) const noexcept;
  DecodeError take_checked(Bytes packet, unsigned key, ValueType type, Value& into) const noexcept;

 private:
  template <bool Checked>
  DecodeError take_any(Bytes packet, unsigned key, ValueType type, Value& into) const noexcept;
  template <bool Checked>
  DecodeError take_plain(Bytes packet, unsigned key, ValueType type, Value& into) const noexcept;

  Limits limits_;
  y3::Walk walk_;
};

extern template class BasicY3Pairs<y3::Dialect::draft01>;
extern template class BasicY3Pairs<y3::Dialect::y3>;

/// The dialect of the experiment.
using Y3Pairs = BasicY3Pairs<y3::Dialect::draft01>;
using Y3NvarPairs = BasicY3Pairs<y3::Dialect::y3>;

static_assert(Pairs<Y3Pairs> && Pairs<Y3NvarPairs>);

}  // namespace wiremark::wire
