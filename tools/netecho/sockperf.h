// The messages of sockperf, a latency tester: netecho stands in for its server, over TCP and UDP.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "netecho/answer.h"

namespace wiremark::tools {

/// As sockperf 3.7 sends it, a message starts with 14 bytes, big-endian: its sequence u64, flags
/// u16, and its length u32, header included. One flag marks messages of a client, which drops what
/// has it, so the server clears it in replies. It replies only where another flag asks for it:
/// under-load asks for one reply in a hundred, throughput for none.
class SockperfAnswerer {
 public:
  static constexpr std::string_view kName = "sockperf";
  static constexpr std::size_t kHeaderSize = 14;

  explicit SockperfAnswerer(const wire::Limits& limits) noexcept : limits_(limits) {}

  Answer answer(Bytes stream) {
    if (stream.size() < kHeaderSize) return {};
    const std::size_t size = load_length(stream.data() + kLengthAt);
    if (size < kHeaderSize) return {.error = {wire::DecodeErrorKind::truncated, kLengthAt}};
    if (size > limits_.frame_size) return {.error = {wire::DecodeErrorKind::too_large, kLengthAt}};
    if (stream.size() < size) return {};
    if ((stream[kFlagsAt] & kAsksForReply) == std::byte{0}) return {.consumed = size};
    scratch_.assign(stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(size));
    scratch_[kFlagsAt] &= ~kFromClient;
    return {.consumed = size, .bytes = scratch_};
  }

 private:
  static constexpr std::size_t kFlagsAt = 9;  // The low byte of the two.
  static constexpr std::byte kFromClient{1};
  static constexpr std::byte kAsksForReply{2};
  static constexpr std::size_t kLengthAt = 10;

  static std::size_t load_length(const std::byte* from) noexcept {
    return std::byteswap(load_le<std::uint32_t>(from));
  }

  wire::Limits limits_;
  std::vector<std::byte> scratch_;
};

static_assert(Answerer<SockperfAnswerer>);

}  // namespace wiremark::tools
