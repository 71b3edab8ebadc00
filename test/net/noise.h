// Random bytes to send, made eight at a time: tests send much.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "base/mix.h"

namespace wiremark::net {

/// A byte that was lost or moved is noticed. A shorter one is the beginning of a longer one.
inline std::string noise(std::size_t size, std::uint64_t seed = 0) {
  std::string text(size, '\0');
  std::uint64_t word = mix(seed);
  for (std::size_t at = 0; at < size; at += sizeof word, word = mix(word))
    std::memcpy(&text[at], &word, std::min(sizeof word, size - at));
  return text;
}

}  // namespace wiremark::net
