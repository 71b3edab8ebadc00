// What codecs write, for tests.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "wire/codec.h"
#include "wire/message.h"

namespace wiremark::wire::test {

/// Room for every message of these tests.
inline constexpr Limits kLimits{.frame_size = 2 << 20};

/// What `codec` makes of a message that it takes. Its heap block ends with it, so that ASan sees a
/// read beyond.
std::vector<std::byte> encoded(auto&& codec, const Message& message) {
  std::vector<std::byte> packet(codec.max_size(message));
  const std::size_t size = codec.encode(message, packet);
  REQUIRE(size > 0);
  REQUIRE(size <= packet.size());
  return {packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(size)};
}

}  // namespace wiremark::wire::test
