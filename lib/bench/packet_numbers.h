// The two numbers that every hot packet of E2 has.
#pragma once

#include <cstdint>

namespace wiremark::bench {

/// Head and guid of every packet of the experiment.
inline constexpr std::int32_t kPacketHead = 567;
inline constexpr std::int32_t kPacketGuid = 15;

}  // namespace wiremark::bench
