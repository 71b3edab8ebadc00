// The message that every codec carries. Stable.
#pragma once

#include <cstdint>
#include <string_view>

namespace wiremark::wire {

/// Two numbers and a text. The content of a decoded message borrows the bytes it was decoded from,
/// or the codec's own scratch where the format escapes text; it is valid until the next decode.
struct Message {
  std::int32_t head = 0;
  std::int32_t guid = 0;
  std::string_view content;

  bool operator==(const Message&) const = default;
};

}  // namespace wiremark::wire
