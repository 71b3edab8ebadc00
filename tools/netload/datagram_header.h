// What stands at the front of every datagram of a load, so that its answer is known.
#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/clock.h"

namespace wiremark::tools {

/// Four little-endian numbers of 32 bits; the rest of the datagram is a window of the pattern.
struct DatagramHeader {
  static constexpr std::size_t kSize = 16;

  std::uint32_t run;         ///< Of this run alone: a port may have been another's before.
  std::uint32_t connection;  ///< Its number in the load.
  std::uint32_t sequence;    ///< Of the connection.
  std::uint32_t place;       ///< In the ledger.

  /// Nothing where `bytes` are too few.
  static std::optional<DatagramHeader> read(Bytes bytes) noexcept {
    if (bytes.size() < kSize) return std::nullopt;
    const auto at = [&](std::size_t word) {
      return load_le<std::uint32_t>(bytes.data() + 4 * word);
    };
    return DatagramHeader{at(0), at(1), at(2), at(3)};
  }

  void write(std::byte* to) const noexcept {
    std::size_t at = 0;
    for (const std::uint32_t word : {run, connection, sequence, place}) {
      store_le(to + at, word);
      at += sizeof word;
    }
  }
};

/// A message without an answer for so long is lost, where --timeout does not say otherwise.
inline constexpr Nanoseconds kDatagramTimeout = kSecond;
/// After the last answer: what comes twice or late is looked out for as long.
inline constexpr Nanoseconds kLinger = 100 * kMillisecond;

}  // namespace wiremark::tools
