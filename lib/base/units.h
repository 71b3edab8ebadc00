// Times, counts and sizes as users write them.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace wiremark {

/// "250us", "1.5ms", "10s", "2m"; a bare number is seconds, as in wrk. Errors: not a time,
/// negative, over 24 days.
Result<Nanoseconds> parse_duration(std::string_view text);

/// "10000", "10k", "1.5M" (powers of 1,000). Errors: not a count, negative, over 2^53.
Result<double> parse_count(std::string_view text);

/// "512", "16k", "1M" (powers of 1,024), in bytes. Errors: not a size, not whole, over 4 GiB.
Result<std::uint64_t> parse_size(std::string_view text);

/// The shortest exact form parse_duration() reads: "50us", "1.5ms", "10s".
std::string format_duration(Nanoseconds time);

}  // namespace wiremark
