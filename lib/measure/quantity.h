// Times, counts, sizes and rates as a person reads them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace wiremark::measure {

/// Three significant digits and a unit: "0 ns", "84 ns", "1.30 us", "84.2 us", "1.31 ms", "12.0 s";
/// from 60 s on "2 min 5 s", from 1 h on "1 h 1 min".
std::string format_time(Nanoseconds time);

/// As format_time() for a figure with a fraction, such as a mean.
std::string format_time(double ns);

/// A count with its digits in groups: "1,000,000".
std::string format_count(std::uint64_t count);

/// A count and what it counts, whose plural ends in s: "1 message", "1,000 messages".
std::string format_counted(std::uint64_t count, std::string_view noun);

/// A rate, or a count nobody reads to the last digit: "0", "12.5", "999", "98.7 k", "1.23 M".
std::string format_rate(double per_second);

/// Bytes in units of 1,024: "512 B", "1.50 KiB", "12.3 MiB", "1.00 GiB".
std::string format_size(double bytes);

/// A share with a fitting number of digits: "0 %", "0.05 %", "12.5 %", "187 %".
std::string format_share(double percent);

/// A number of unlike scale with three significant digits and no exponent: "0.012", "4.08", "1234".
std::string format_number(double number);

}  // namespace wiremark::measure
