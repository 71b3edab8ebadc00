// Packets laid out one behind the other in one block, at a random offset.
#include "bench/shelf.h"

#include <unistd.h>

#include <algorithm>

namespace wiremark::bench {

std::size_t cold_bytes() {
  static const std::size_t bytes = [] {
    constexpr long kSmallest = 256 << 10;  // Also assumed if sysconf(3) does not know it.
    return static_cast<std::size_t>(std::max(::sysconf(_SC_LEVEL2_CACHE_SIZE), kSmallest) / 2);
  }();
  return bytes;
}

std::size_t item_count(bool cold, std::size_t hot, std::size_t bytes) {
  if (!cold) return hot;
  return std::clamp<std::size_t>(cold_bytes() / std::max<std::size_t>(bytes, 1), 2, 65'536);
}

}  // namespace wiremark::bench
