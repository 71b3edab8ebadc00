// What a framer says of the bytes of a reply, and all that it knows of the request.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"

namespace wiremark::wire {

/// The request that a reply answers, as far as the end of the reply depends on it, or what it says.
struct Asked {
  std::size_t size = 0;  ///< Its bytes.
  bool head = false;     ///< HTTP: it was HEAD, whose answer has no body.
  bool reads = false;    ///< Redis, memcached: it asks for what may not be there.
};

/// Step::status of an answer to a request that reads: there was something, or nothing.
inline constexpr std::uint16_t kHit = 1, kMiss = 2;

/// One step through the bytes of a reply, by a framer:
///
///   struct State           what it remembers of a reply of which a part has come
///   take(state, bytes, asked) -> Step
///                          looks at bytes that follow those taken before, and are not empty.
///                          It takes one at least, or says what is wrong. Where a reply is
///                          whole the state is as new
///
/// A framer never looks at a byte twice, so it does not matter how the bytes were cut.
struct Step {
  std::size_t taken = 0;        ///< Of the bytes shown: those of this reply.
  Bytes content = {};           ///< What is compared of them: all, but for heads and attributes.
  std::uint64_t ahead = 0;      ///< Bytes that are known to follow in this reply.
  const char* wrong = nullptr;  ///< Why it is no reply; nothing else counts then.
  std::uint16_t status = 0;     ///< Of a whole reply: of HTTP, of DNS, kHit or kMiss; else 0.
  bool whole = false;           ///< The reply ends with what was taken.
  bool error = false;           ///< Whole, and it says that the request failed.
  bool last = false;            ///< Whole, and the server closes the connection behind it.
};

/// A step over the first `size` bytes, all of them content.
inline Step step_over(Bytes bytes, std::size_t size, bool whole) noexcept {
  return {.taken = size, .content = bytes.first(size), .whole = whole};
}

inline Step step_wrong(const char* why) noexcept { return {.wrong = why}; }

}  // namespace wiremark::wire
